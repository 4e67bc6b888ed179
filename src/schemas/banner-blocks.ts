import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'

const members = {
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
const active = Type.Boolean({ description: 'Whether the storefront may show it' })

export const BannerBlockInput = t.NamedObject(
  'BannerBlockInput',
  'A banner to write; absent fields keep their values',
  { ...members, active: Type.Optional(active) },
)
export type BannerBlockInput = Static<typeof BannerBlockInput>

const BannerImage = t.NamedObject('BannerImage', 'The image of a banner', {
  url: t.Text('Path of the image', '/api/v1/images/31?v=2c26b46b68ff'),
  width: t.Count('Pixels, in display orientation', 1200),
  height: t.Count('Pixels, in display orientation', 400),
  alt: t.Text('Title of the banner', 'Перфораторы недели'),
})

export const BannerBlock = t.NamedObject('BannerBlock', 'A banner as the public sees it', {
  id: t.Id('Id of the banner'),
  ...t.required(members),
  imageUrl: t.Nullable(t.Text('Path of its image')),
  image: t.Nullable(t.ref(BannerImage), { description: 'Its image; null: none' }),
})
export type BannerBlock = Static<typeof BannerBlock>

export const BannerBlocks = t.List(BannerBlock, 'The banners')

export const StaffBannerBlock = t.NamedObject('StaffBannerBlock', 'A banner as staff see it', {
  ...BannerBlock.properties,
  active,
  ...t.EDITED,
})
export type StaffBannerBlock = Static<typeof StaffBannerBlock>
