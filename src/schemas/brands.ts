import { type Static, Type } from '@sinclair/typebox'
import { Count, FreeText, Id, NamedObject, Nullable, optionalText, Text, Word } from './common.ts'

const ImageId = Nullable(Id('Image of the library; null: none'))
const DESCRIPTION = '<p>Инструмент для стройки.</p>'

/** Contract section 4, "Brands". */
export const Brand = NamedObject('Brand', 'A brand; only staff get the optional members', {
  id: Id('Id of the brand'),
  externalId: Nullable(Text("The supplier's id", 'B105')),
  name: Text('Name', 'Тармекс'),
  slug: Text('Name in URLs', 'tarmeks'),
  description: Nullable(Text('Sanitised HTML', DESCRIPTION)),
  imageUrl: Nullable(Text('Path of its image; null: none', '/api/v1/images/31')),
  productCount: Count('Active products of the brand'),
  imageId: Type.Optional(ImageId),
  supplierName: Type.Optional(Nullable(Text("The supplier's name where staff set another"))),
})
export type Brand = Static<typeof Brand>

export const BrandInput = NamedObject('BrandInput', 'An edit of a brand; absent fields stay as they are', {
  name: Word(500, "Name; the supplier's name again ends the override", 'Тармекс'),
  slug: Type.Optional(FreeText(120, 'Name in URLs: a-z, 0-9 and single dashes')),
  description: optionalText(100_000, 'HTML, which is sanitised', DESCRIPTION),
  imageId: Type.Optional(ImageId),
})
export type BrandInput = Static<typeof BrandInput>
