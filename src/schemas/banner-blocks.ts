import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, Edited, Id, Nullable, optionalText, Timestamp, Word } from './common.ts'

export const BannerBlockInput = Type.Object({
  title: Word(300),
  subtitle: optionalText(500),
  text: optionalText(10_000),
  imageId: Type.Optional(Nullable(Id)),
  linkUrl: optionalText(2000),
  buttonText: optionalText(100),
  position: optionalText(100),
  displayOrder: Type.Optional(DisplayOrder),
  active: Type.Optional(Type.Boolean()),
  activeFrom: Type.Optional(Nullable(Timestamp)),
  activeTo: Type.Optional(Nullable(Timestamp)),
})
export type BannerBlockInput = Static<typeof BannerBlockInput>

/** A banner as anyone sees it. */
export const PublicBannerBlock = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    subtitle: Nullable(Type.String()),
    text: Nullable(Type.String()),
    imageId: Nullable(Type.Integer()),
    imageUrl: Nullable(Type.String()),
    linkUrl: Nullable(Type.String({ description: 'A path of the shop or an http(s) address' })),
    buttonText: Nullable(Type.String()),
    position: Nullable(Type.String({ description: 'Where on the page, in words of the storefront' })),
    displayOrder: Type.Integer(),
    activeFrom: Nullable(Timestamp),
    activeTo: Nullable(Type.String({ format: 'date-time', description: 'Not included' })),
  },
  { $id: 'PublicBannerBlock' },
)
export type PublicBannerBlock = Static<typeof PublicBannerBlock>

/** Contract section 7. */
export const BannerBlock = Type.Object(
  { ...PublicBannerBlock.properties, active: Type.Boolean(), ...Edited.properties },
  { $id: 'BannerBlock' },
)
export type BannerBlock = Static<typeof BannerBlock>
