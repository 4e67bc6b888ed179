import { type Static, Type } from '@sinclair/typebox'
import * as t from './common.ts'

const ImageId = t.Nullable(t.Id('Image of the library; null: none'))
const DESCRIPTION = '<p>Инструмент для стройки.</p>'

/** Contract section 4, "Brands". */
export const Brand = t.NamedObject('Brand', 'A brand; only staff get the optional members', {
  id: t.Id('Id of the brand'),
  externalId: t.Nullable(t.Text("The supplier's id", 'B105')),
  name: t.Text('Name', 'Тармекс'),
  slug: t.Text('Name in URLs', 'tarmeks'),
  description: t.Nullable(t.Text('Sanitised HTML', DESCRIPTION)),
  imageUrl: t.Nullable(t.Text('Path of its image; null: none', '/api/v1/images/31')),
  productCount: t.Count('Active products of the brand'),
  imageId: Type.Optional(ImageId),
  supplierName: Type.Optional(t.Nullable(t.Text("The supplier's name, if staff have set another"))),
})
export type Brand = Static<typeof Brand>

export const BrandInput = t.NamedObject('BrandInput', 'An edit of a brand; absent fields keep their values', {
  name: t.NonBlank(500, "Name; setting the supplier's name again ends the override", 'Тармекс'),
  slug: Type.Optional(t.FreeText(120, 'Name in URLs: a-z, 0-9 and single dashes')),
  description: t.optionalText(100_000, 'HTML, which is sanitised', DESCRIPTION),
  imageId: Type.Optional(ImageId),
})
export type BrandInput = Static<typeof BrandInput>
