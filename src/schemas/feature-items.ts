import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, Edited, Id, Nullable, optionalText, Word } from './common.ts'

export const FeatureItemInput = Type.Object({
  title: Word(300),
  description: optionalText(10_000),
  icon: optionalText(500),
  imageId: Type.Optional(Nullable(Id)),
  linkUrl: optionalText(2000),
  displayOrder: Type.Optional(DisplayOrder),
  active: Type.Optional(Type.Boolean()),
})
export type FeatureItemInput = Static<typeof FeatureItemInput>

/** A feature as anyone sees it. */
export const PublicFeatureItem = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    description: Nullable(Type.String()),
    icon: Nullable(Type.String()),
    imageId: Nullable(Type.Integer()),
    imageUrl: Nullable(Type.String()),
    linkUrl: Nullable(Type.String({ description: 'A path of the shop or an http(s) address' })),
    displayOrder: Type.Integer(),
  },
  { $id: 'PublicFeatureItem' },
)
export type PublicFeatureItem = Static<typeof PublicFeatureItem>

/** Contract section 7. */
export const FeatureItem = Type.Object(
  { ...PublicFeatureItem.properties, active: Type.Boolean(), ...Edited.properties },
  { $id: 'FeatureItem' },
)
export type FeatureItem = Static<typeof FeatureItem>
