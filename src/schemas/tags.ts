import { type Static, Type } from '@sinclair/typebox'
import { SeoTextDoc } from './categories.ts'
import { Count, described, Edited, Id, Nullable, ref, Word } from './common.ts'
import { Seo } from './products.ts'

const EXAMPLE = {
  name: 'Для дачи',
  slug: 'dlya-dachi',
  enabled: true,
  metaTitle: null,
  metaDescription: 'Всё для дачного сезона',
  seoTextDoc: { blocks: [{ type: 'paragraph', text: 'Как выбрать' }] },
}

const properties = {
  enabled: Type.Boolean({ description: 'Whether the public sees it' }),
  metaTitle: Nullable(Type.String({ maxLength: 300, description: 'Overrides the title template' })),
  metaDescription: Nullable(
    Type.String({ maxLength: 1000, description: 'Overrides the description template' }),
  ),
  seoTextDoc: SeoTextDoc,
}

const inputProperties = { name: Word(200, 'Name'), ...Type.Partial(Type.Object(properties)).properties }

function slug(absent: string) {
  return Type.Optional(
    Type.String({
      maxLength: 120,
      description: `Name in URLs: a-z, 0-9 and single dashes; absent: ${absent}`,
    }),
  )
}

export const NewTag = Type.Object(
  { ...inputProperties, slug: slug('generated from the name') },
  { $id: 'NewTag', description: 'A tag to create', examples: [EXAMPLE] },
)
export type NewTag = Static<typeof NewTag>

export const TagChange = Type.Object(
  { ...inputProperties, slug: slug('unchanged') },
  { $id: 'TagChange', description: 'An edit of a tag; absent fields stay as they are', examples: [EXAMPLE] },
)
export type TagChange = Static<typeof TagChange>

const staffProperties = {
  ...Edited.properties,
  productCount: described(Count, 'Active products with the tag'),
}

/** Specification, "Tag". */
export const Tag = Type.Object(
  {
    id: described(Id, 'Id of the tag'),
    name: Type.String({ description: 'Name' }),
    slug: Type.String({ description: 'Name in URLs' }),
    ...properties,
    seo: ref(Seo),
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  {
    $id: 'Tag',
    description: 'A tag with its landing page; only staff get the optional members',
    examples: [
      {
        id: 4,
        ...EXAMPLE,
        seo: { title: 'Для дачи — Shop', description: 'Всё для дачного сезона' },
        ...Edited.examples?.[0],
        productCount: 120,
      },
    ],
  },
)
export type Tag = Static<typeof Tag>
