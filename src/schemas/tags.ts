import { type Static, Type } from '@sinclair/typebox'
import { SeoTextDoc } from './categories.ts'
import * as t from './common.ts'
import { Seo } from './products.ts'

const properties = {
  enabled: Type.Boolean({ description: 'Whether the public sees it' }),
  metaTitle: t.Nullable(t.FreeText(300, 'Overrides the title template')),
  metaDescription: t.Nullable(
    t.FreeText(1000, 'Overrides the description template', 'Всё для дачного сезона'),
  ),
  seoTextDoc: SeoTextDoc,
}

const inputProperties = {
  name: t.NonBlank(200, 'Name', 'Для дачи'),
  ...t.partial(properties),
}

function slug(absent: string) {
  return Type.Optional(t.FreeText(120, `Name in URLs: a-z, 0-9 and single dashes; absent: ${absent}`))
}

export const NewTag = t.NamedObject('NewTag', 'A tag to create', {
  ...inputProperties,
  slug: slug('generated from the name'),
})
export type NewTag = Static<typeof NewTag>

export const TagChange = t.NamedObject('TagChange', 'An edit of a tag; absent fields keep their values', {
  ...inputProperties,
  slug: slug('unchanged'),
})
export type TagChange = Static<typeof TagChange>

const staffProperties = {
  ...t.EDITED,
  productCount: t.Count('Active products with the tag'),
}

/** Specification, "Tag". */
export const Tag = t.NamedObject('Tag', 'A tag with its landing page; only staff get the optional members', {
  id: t.Id('Id of the tag'),
  name: t.Text('Name', 'Для дачи'),
  slug: t.Text('Name in URLs', 'dlya-dachi'),
  ...properties,
  seo: t.ref(Seo),
  ...t.partial(staffProperties),
})
export type Tag = Static<typeof Tag>
