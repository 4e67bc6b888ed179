import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'
import { CanonicalPath, Seo } from './products.ts'

const ImageId = t.Nullable(t.Id('Image of the library; null: none'))
const DESCRIPTION = '<p>Инструмент для стройки.</p>'

export const Brand = t.NamedObject('Brand', 'A brand as the public sees it', {
  id: t.Id('Id of the brand'),
  externalId: t.Nullable(t.Text("The supplier's id", 'B105')),
  name: t.Text('Name', 'Тармекс'),
  slug: t.Text('Name in URLs', 'tarmeks'),
  description: t.Nullable(t.Text('Sanitised HTML', DESCRIPTION), t.HTML),
  imageUrl: t.Nullable(t.Text('Path of its image; null: none', '/api/v1/images/31?v=2c26b46b68ff')),
  productCount: t.Count('Active products of the brand'),
  seo: t.ref(Seo),
  canonicalPath: { ...CanonicalPath, examples: ['/brands/tarmeks'] },
})
export type Brand = Static<typeof Brand>

export const Brands = t.List(Brand, 'The brands')

export const StaffBrand = t.NamedObject('StaffBrand', 'A brand as staff see it', {
  ...Brand.properties,
  imageId: ImageId,
  supplierName: t.Nullable(t.Text("The supplier's name, if staff have set another")),
  version: t.EDITED.version,
})
export type StaffBrand = Static<typeof StaffBrand>

export const StaffBrands = t.List(StaffBrand, 'The brands')

export const BrandInput = t.NamedObject('BrandInput', 'An edit of a brand; absent fields keep their values', {
  name: t.NonBlankLine(500, "Name; setting the supplier's name again ends the override", 'Тармекс'),
  slug: Type.Optional(t.Slug('Name in URLs: a-z, 0-9 and single dashes')),
  description: Type.Optional({ ...t.optionalText(100_000, 'HTML, which is sanitised', DESCRIPTION), ...t.HTML }),
  imageId: Type.Optional(ImageId),
})
export type BrandInput = Static<typeof BrandInput>
