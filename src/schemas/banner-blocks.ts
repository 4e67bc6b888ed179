import { type Static, Type } from '@sinclair/typebox'
import { DisplayOrder, described, Edited, Id, Nullable, optionalText, Timestamp, Word } from './common.ts'

const Active = Type.Boolean({ description: 'Whether the storefront may show it' })
const From = Nullable(described(Timestamp, 'Shown from this time on; null: no lower limit'))
const To = Nullable(described(Timestamp, 'Shown before this time; null: no upper limit'))

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
    title: Word(300, 'Title'),
    subtitle: optionalText(500, 'Subtitle'),
    text: optionalText(10_000, 'Text'),
    imageId: Type.Optional(Nullable(described(Id, 'Id of its image; null: none'))),
    linkUrl: optionalText(2000, 'A path in the shop or an http(s) URL'),
    buttonText: optionalText(100, 'Label of its button'),
    position: optionalText(100, 'Place on the page, as the storefront names it'),
    displayOrder: Type.Optional(DisplayOrder),
    active: Type.Optional(Active),
    activeFrom: Type.Optional(From),
    activeTo: Type.Optional(To),
  },
  {
    $id: 'BannerBlockInput',
    description: 'A banner to write; an absent field keeps its value',
    examples: [{ ...EXAMPLE, active: true }],
  },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

export const PublicBannerBlock = Type.Object(
  {
    id: described(Id, 'Id of the banner'),
    title: Type.String({ description: 'Title' }),
    subtitle: Nullable(Type.String({ description: 'Subtitle' })),
    text: Nullable(Type.String({ description: 'Text' })),
    imageId: Nullable(described(Id, 'Id of its image')),
    imageUrl: Nullable(Type.String({ description: 'Path of its image' })),
    linkUrl: Nullable(Type.String({ description: 'A path in the shop or an http(s) URL' })),
    buttonText: Nullable(Type.String({ description: 'Label of its button' })),
    position: Nullable(Type.String({ description: 'Place on the page, as the storefront names it' })),
    displayOrder: DisplayOrder,
    activeFrom: From,
    activeTo: To,
  },
  {
    $id: 'PublicBannerBlock',
    description: 'A banner as the storefront shows it',
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
