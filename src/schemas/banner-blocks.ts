import { type Static, Type } from '@sinclair/typebox'
import {
  DisplayOrder,
  EDITED,
  Id,
  NamedObject,
  Nullable,
  optionalText,
  shown,
  Text,
  Timestamp,
  Word,
} from './common.ts'

const publicMembers = {
  title: Word(300, 'Title', 'Перфораторы недели'),
  subtitle: optionalText(500, 'Subtitle', 'До −20 %'),
  text: optionalText(10_000, 'Text'),
  imageId: Type.Optional(Nullable(Id('Id of its image; null: none'))),
  linkUrl: optionalText(2000, 'A path in the shop or an http(s) URL', '/categories/perforatory'),
  buttonText: optionalText(100, 'Label of its button', 'Смотреть'),
  position: optionalText(100, 'Place on the page, as the storefront names it', 'home'),
  displayOrder: Type.Optional(DisplayOrder),
  activeFrom: Type.Optional(Nullable(Timestamp('Shown from this time on; null: no lower limit'))),
  activeTo: Type.Optional(Nullable(Timestamp('Shown before this time; null: no upper limit'))),
}
const Active = Type.Boolean({ description: 'Whether the storefront may show it' })

export const BannerBlockInput = NamedObject(
  'BannerBlockInput',
  'A banner to write; an absent field keeps its value',
  { ...publicMembers, active: Type.Optional(Active) },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

export const PublicBannerBlock = NamedObject('PublicBannerBlock', 'A banner as the storefront shows it', {
  id: Id('Id of the banner'),
  ...shown(publicMembers),
  imageUrl: Nullable(Text('Path of its image')),
})
export type PublicBannerBlock = Static<typeof PublicBannerBlock>

/** Contract section 7. */
export const BannerBlock = NamedObject('BannerBlock', 'A banner as staff see it', {
  ...PublicBannerBlock.properties,
  active: Active,
  ...EDITED,
})
export type BannerBlock = Static<typeof BannerBlock>
