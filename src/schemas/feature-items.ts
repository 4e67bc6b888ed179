import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, described, Edited, Id, Nullable, optionalText, Word } from './common.ts'

const Active = Type.Boolean({ description: 'Whether the storefront shows it' })

const EXAMPLE = {
  title: 'Доставка за день',
  description: 'По Москве — сегодня',
  icon: 'truck',
  imageId: null,
  linkUrl: '/delivery',
  displayOrder: 1,
}

export const FeatureItemInput = Type.Object(
  {
    title: Word(300, 'Title'),
    description: optionalText(10_000, 'Text'),
    icon: optionalText(500, 'Name or URL of an icon'),
    imageId: Type.Optional(Nullable(described(Id, 'Id of its image; null: none'))),
    linkUrl: optionalText(2000, 'A path in the shop or an http(s) URL'),
    displayOrder: Type.Optional(DisplayOrder),
    active: Type.Optional(Active),
  },
  {
    $id: 'FeatureItemInput',
    description: 'A feature to write; an absent field keeps its value',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

export const PublicFeatureItem = Type.Object(
  {
    id: described(Id, 'Id of the feature'),
    title: Type.String({ description: 'Title' }),
    description: Nullable(Type.String({ description: 'Text' })),
    icon: Nullable(Type.String({ description: 'Name or URL of an icon' })),
    imageId: Nullable(described(Id, 'Id of its image')),
    imageUrl: Nullable(Type.String({ description: 'Path of its image' })),
    linkUrl: Nullable(Type.String({ description: 'A path in the shop or an http(s) URL' })),
    displayOrder: DisplayOrder,
  },
  {
    $id: 'PublicFeatureItem',
    description: 'A feature as the storefront shows it',
    examples: [{ id: 2, ...EXAMPLE, imageUrl: null }],
  },
)
export type PublicFeatureItem = Static<typeof PublicFeatureItem>

/** Contract section 7. */
export const FeatureItem = Type.Object(
  { ...PublicFeatureItem.properties, active: Active, ...Edited.properties },
  {
    $id: 'FeatureItem',
    description: 'A feature as staff see it',
    examples: [{ id: 2, ...EXAMPLE, imageUrl: null, active: true, ...Edited.examples?.[0] }],
  },
)
export type FeatureItem = Static<typeof FeatureItem>
