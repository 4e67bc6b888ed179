import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'

const Active = Type.Boolean({ description: 'Whether the storefront may show it' })
const staffMembers = t.partial({ active: Active, ...t.EDITED })

const bannerMembers = {
  title: t.NonBlank(300, 'Title', 'Перфораторы недели'),
  subtitle: t.optionalText(500, 'Subtitle', 'До −20 %'),
  text: t.optionalText(10_000, 'Text'),
  imageId: Type.Optional(t.Nullable(t.Id('Id of its image; null: none'))),
  linkUrl: t.optionalLink('/categories/perforatory'),
  buttonText: t.optionalText(100, 'Label of its button', 'Смотреть'),
  position: t.optionalText(100, 'Place on the page, as the storefront names it', 'home'),
  displayOrder: Type.Optional(t.DisplayOrder),
  activeFrom: Type.Optional(t.Nullable(t.Timestamp('Shown from this time on; null: no lower limit'))),
  activeTo: Type.Optional(t.Nullable(t.Timestamp('Shown before this time; null: no upper limit'))),
}

export const BannerBlockInput = t.NamedObject(
  'BannerBlockInput',
  'A banner to write; absent fields keep their values',
  { ...bannerMembers, active: Type.Optional(Active) },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

/** Contract section 7. */
export const BannerBlock = t.NamedObject('BannerBlock', 'A banner; only staff get the optional members', {
  id: t.Id('Id of the banner'),
  ...t.required(bannerMembers),
  imageUrl: t.Nullable(t.Text('Path of its image')),
  ...staffMembers,
})
export type BannerBlock = Static<typeof BannerBlock>

const featureMembers = {
  title: t.NonBlank(300, 'Title', 'Доставка за день'),
  description: t.optionalText(10_000, 'Text', 'По Москве — сегодня'),
  icon: t.optionalText(500, 'Name or URL of an icon', 'truck'),
  imageId: Type.Optional(t.Nullable(t.Id('Id of its image; null: none'))),
  linkUrl: t.optionalLink('/delivery'),
  displayOrder: Type.Optional(t.DisplayOrder),
}

export const FeatureItemInput = t.NamedObject(
  'FeatureItemInput',
  'A feature to write; absent fields keep their values',
  { ...featureMembers, active: Type.Optional(Active) },
)
export type FeatureItemInput = Static<typeof FeatureItemInput>

/** Contract section 7. */
export const FeatureItem = t.NamedObject('FeatureItem', 'A feature; only staff get the optional members', {
  id: t.Id('Id of the feature'),
  ...t.required(featureMembers),
  imageUrl: t.Nullable(t.Text('Path of its image')),
  ...staffMembers,
})
export type FeatureItem = Static<typeof FeatureItem>
