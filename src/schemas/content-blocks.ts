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

const Active = Type.Boolean({ description: 'Whether the storefront may show it' })
const staffMembers = Type.Partial(Type.Object({ active: Active, ...EDITED })).properties

const bannerMembers = {
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

export const BannerBlockInput = NamedObject(
  'BannerBlockInput',
  'A banner to write; an absent field keeps its value',
  { ...bannerMembers, active: Type.Optional(Active) },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

/** Contract section 7. */
export const BannerBlock = NamedObject('BannerBlock', 'A banner; only staff get the optional members', {
  id: Id('Id of the banner'),
  ...shown(bannerMembers),
  imageUrl: Nullable(Text('Path of its image')),
  ...staffMembers,
})
export type BannerBlock = Static<typeof BannerBlock>

const featureMembers = {
  title: Word(300, 'Title', 'Доставка за день'),
  description: optionalText(10_000, 'Text', 'По Москве — сегодня'),
  icon: optionalText(500, 'Name or URL of an icon', 'truck'),
  imageId: Type.Optional(Nullable(Id('Id of its image; null: none'))),
  linkUrl: optionalText(2000, 'A path in the shop or an http(s) URL', '/delivery'),
  displayOrder: Type.Optional(DisplayOrder),
}

export const FeatureItemInput = NamedObject(
  'FeatureItemInput',
  'A feature to write; an absent field keeps its value',
  { ...featureMembers, active: Type.Optional(Active) },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

/** Contract section 7. */
export const FeatureItem = NamedObject('FeatureItem', 'A feature; only staff get the optional members', {
  id: Id('Id of the feature'),
  ...shown(featureMembers),
  imageUrl: Nullable(Text('Path of its image')),
  ...staffMembers,
})
export type FeatureItem = Static<typeof FeatureItem>
