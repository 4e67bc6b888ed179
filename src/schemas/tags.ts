import { type Static, Type } from '@sinclair/typebox'
import { SeoTextDoc } from './categories.ts'
import { Count, EDITED, FreeText, Id, NamedObject, Nullable, ref, Text, Word } from './common.ts'
import { Seo } from './products.ts'

const properties = {
  enabled: Type.Boolean({ description: 'Whether the public sees it' }),
  metaTitle: Nullable(FreeText(300, 'Overrides the title template')),
  metaDescription: Nullable(FreeText(1000, 'Overrides the description template', 'Всё для дачного сезона')),
  seoTextDoc: SeoTextDoc,
}

const inputProperties = {
  name: Word(200, 'Name', 'Для дачи'),
  ...Type.Partial(Type.Object(properties)).properties,
}

function slug(absent: string) {
  return Type.Optional(FreeText(120, `Name in URLs: a-z, 0-9 and single dashes; absent: ${absent}`))
}

export const NewTag = NamedObject('NewTag', 'A tag to create', {
  ...inputProperties,
  slug: slug('generated from the name'),
})
export type NewTag = Static<typeof NewTag>

export const TagChange = NamedObject('TagChange', 'An edit of a tag; absent fields stay as they are', {
  ...inputProperties,
  slug: slug('unchanged'),
})
export type TagChange = Static<typeof TagChange>

const staffProperties = {
  ...EDITED,
  productCount: Count('Active products with the tag'),
}

/** Specification, "Tag". */
export const Tag = NamedObject('Tag', 'A tag with its landing page; only staff get the optional members', {
  id: Id('Id of the tag'),
  name: Text('Name', 'Для дачи'),
  slug: Text('Name in URLs', 'dlya-dachi'),
  ...properties,
  seo: ref(Seo),
  ...Type.Partial(Type.Object(staffProperties)).properties,
})
export type Tag = Static<typeof Tag>
