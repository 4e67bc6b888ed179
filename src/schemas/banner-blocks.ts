import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, described, Edited, Id, Nullable, optionalText, Timestamp, Word } from './common.ts'

const Active = Type.Boolean({ description: 'Whether it is shown at all' })
const From = Nullable(described(Timestamp, 'Shown from then on; null: always was'))
const To = Nullable(described(Timestamp, 'Shown before then; null: for good'))

const EXAMPLE = {
  title: 'Перфораторы недели',
  subtitle: 'До −20 %',
  text: null,
  imageId: null,
  linkUrl: '/categories/perforatory',
  buttonText: 'Смотреть',
  position: 'home',
  displayOrder: 1,
  activeFrom: '2026-11-20T21:00:00.000Z',
  activeTo: null,
}

export const BannerBlockInput = Type.Object(
  {
    title: Word(300, 'What it says first'),
    subtitle: optionalText(500, 'What it says below'),
    text: optionalText(10_000, 'What it says at length'),
    imageId: Type.Optional(Nullable(described(Id, 'Its picture; null: none'))),
    linkUrl: optionalText(2000, 'A path of the shop or an http(s) address'),
    buttonText: optionalText(100, 'What its button says'),
    position: optionalText(100, 'Where on the page, in words of the storefront'),
    displayOrder: Type.Optional(DisplayOrder),
    active: Type.Optional(Active),
    activeFrom: Type.Optional(From),
    activeTo: Type.Optional(To),
  },
  {
    $id: 'BannerBlockInput',
    description: 'A banner as it shall be; what is absent stays',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

/** A banner as anyone sees it. */
export const PublicBannerBlock = Type.Object(
  {
    id: described(Id, 'Id of the banner'),
    title: Type.String({ description: 'What it says first' }),
    subtitle: Nullable(Type.String({ description: 'What it says below' })),
    text: Nullable(Type.String({ description: 'What it says at length' })),
    imageId: Nullable(described(Id, 'Its picture')),
    imageUrl: Nullable(Type.String({ description: 'Where the picture is' })),
    linkUrl: Nullable(Type.String({ description: 'A path of the shop or an http(s) address' })),
    buttonText: Nullable(Type.String({ description: 'What its button says' })),
    position: Nullable(Type.String({ description: 'Where on the page, in words of the storefront' })),
    displayOrder: DisplayOrder,
    activeFrom: From,
    activeTo: To,
  },
  {
    $id: 'PublicBannerBlock',
    description: 'A banner as anyone sees it',
    examples: [{ id: 3, ...EXAMPLE, imageUrl: null }],
  },
)
export type PublicBannerBlock = Static<typeof PublicBannerBlock>

/** Contract section 7. */
export const BannerBlock = Type.Object(
  { ...PublicBannerBlock.properties, active: Active, ...Edited.properties },
  {
    $id: 'BannerBlock',
    description: 'A banner as staff see it',
    examples: [{ id: 3, ...EXAMPLE, imageUrl: null, active: true, ...Edited.examples?.[0] }],
  },
)
export type BannerBlock = Static<typeof BannerBlock>
