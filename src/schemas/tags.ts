import { type Static, Type } from '@sinclair/typebox'
import { SeoTextDoc } from './categories.ts'
import * as t from './common.ts'
import { CanonicalPath, Seo } from './products.ts'

const tagProperties = {
  enabled: Type.Boolean({ description: 'Whether the public sees it' }),
  metaTitle: t.Nullable(t.FreeText(300, 'Overrides the title template')),
  metaDescription: t.Nullable(t.FreeText(1000, 'Overrides the description template', 'Всё для дачного сезона')),
  seoTextDoc: SeoTextDoc,
}

export const TagInput = t.NamedObject('TagInput', 'A tag to write; absent fields keep their values', {
  name: t.NonBlank(200, 'Name', 'Для дачи'),
  ...t.partial({
    ...tagProperties,
    slug: t.Slug('Name in URLs: a-z, 0-9 and single dashes; a new tag gets one from its name by default'),
  }),
})
export type TagInput = Static<typeof TagInput>

export const Tag = t.NamedObject('Tag', 'A tag with its landing page as the public sees it', {
  id: t.Id('Id of the tag'),
  name: t.Text('Name', 'Для дачи'),
  slug: t.Text('Name in URLs', 'dlya-dachi'),
  ...tagProperties,
  seo: t.ref(Seo),
  canonicalPath: { ...CanonicalPath, examples: ['/tags/dlya-dachi'] },
})
export type Tag = Static<typeof Tag>

export const StaffTag = t.NamedObject('StaffTag', 'A tag with its landing page as staff see it', {
  ...Tag.properties,
  ...t.EDITED,
  productCount: t.Count('Active products with the tag'),
})
export type StaffTag = Static<typeof StaffTag>
