import { type Static, Type } from '@sinclair/typebox'
import { Count, described, Edited, Id, Nullable, optionalText, ref, Word } from './common.ts'
import { Seo } from './products.ts'

const Enabled = Type.Boolean({ description: 'Whether the public sees it' })
const TextDoc = Nullable(
  Type.Record(Type.String(), Type.Unknown(), {
    description: 'Shown under the listing; any JSON object up to 64 KB',
  }),
)

const EXAMPLE = {
  name: 'Для дачи',
  slug: 'dlya-dachi',
  enabled: true,
  metaTitle: null,
  metaDescription: 'Всё для дачного сезона',
  seoTextDoc: { blocks: [{ type: 'paragraph', text: 'Как выбрать' }] },
}

const inputProperties = {
  name: Word(200, 'What it is called'),
  enabled: Type.Optional(Enabled),
  metaTitle: optionalText(300, 'Override of the title for search engines'),
  metaDescription: optionalText(1000, 'Override of the text for search engines'),
  seoTextDoc: Type.Optional(TextDoc),
}

function slug(absent: string) {
  return Type.Optional(
    Type.String({
      maxLength: 120,
      description: `Its name in addresses: a-z, 0-9 and single dashes; absent: ${absent}`,
    }),
  )
}

export const NewTag = Type.Object(
  { ...inputProperties, slug: slug('made from the name') },
  { $id: 'NewTag', description: 'A tag to add', examples: [EXAMPLE] },
)
export type NewTag = Static<typeof NewTag>

export const TagChange = Type.Object(
  { ...inputProperties, slug: slug('it stays') },
  { $id: 'TagChange', description: 'A tag as it shall be; what is absent stays', examples: [EXAMPLE] },
)
export type TagChange = Static<typeof TagChange>

const staffProperties = {
  ...Edited.properties,
  productCount: described(Count, 'Active products that carry it'),
}

/** Specification, "Tag". What is optional here only staff get. */
export const Tag = Type.Object(
  {
    id: described(Id, 'Id of the tag'),
    name: Type.String({ description: 'What it is called' }),
    slug: Type.String({ description: 'Its name in addresses' }),
    enabled: Enabled,
    metaTitle: Nullable(Type.String({ description: 'Override of the title for search engines' })),
    metaDescription: Nullable(Type.String({ description: 'Override of the text for search engines' })),
    seoTextDoc: TextDoc,
    seo: ref(Seo),
    ...Type.Partial(Type.Object(staffProperties)).properties,
  },
  {
    $id: 'Tag',
    description: 'A tag, which has a landing page; what is optional only staff get',
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
