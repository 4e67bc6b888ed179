import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, described, Edited, Id, Nullable, optionalText, Word } from './common.ts'

const Active = Type.Boolean({ description: 'Whether it is shown' })

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
    title: Word(300, 'What it says first'),
    description: optionalText(10_000, 'What it says at length'),
    icon: optionalText(500, 'Name or address of an icon'),
    imageId: Type.Optional(Nullable(described(Id, 'Its picture; null: none'))),
    linkUrl: optionalText(2000, 'A path of the shop or an http(s) address'),
    displayOrder: Type.Optional(DisplayOrder),
    active: Type.Optional(Active),
  },
  {
    $id: 'FeatureItemInput',
    description: 'A feature as it shall be; what is absent stays',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

/** A feature as anyone sees it. */
export const PublicFeatureItem = Type.Object(
  {
    id: described(Id, 'Id of the feature'),
    title: Type.String({ description: 'What it says first' }),
    description: Nullable(Type.String({ description: 'What it says at length' })),
    icon: Nullable(Type.String({ description: 'Name or address of an icon' })),
    imageId: Nullable(described(Id, 'Its picture')),
    imageUrl: Nullable(Type.String({ description: 'Where the picture is' })),
    linkUrl: Nullable(Type.String({ description: 'A path of the shop or an http(s) address' })),
    displayOrder: DisplayOrder,
  },
  {
    $id: 'PublicFeatureItem',
    description: 'A feature as anyone sees it',
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
