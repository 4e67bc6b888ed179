import { type Static, Type } from '@sinclair/typebox'
import { IMAGE_SORT, IMAGE_USE_TYPES } from '../../db/tables/content.ts'
import { MAX_LISTED_IDS } from '../rules/catalogue/product-filter.ts'
import { IMAGE_FORMATS, MAX_IMAGE_BYTES, VARIANT_WIDTHS, type VariantWidth } from '../rules/media/formats.ts'
import * as t from './common.ts'
import { ListQuery, OnlyIds } from './lists.ts'

export const IMAGE_CONTENT_TYPES = Object.values(IMAGE_FORMATS).map(({ contentType }) => contentType)

const ImageUseType = t.NamedEnum('ImageUseType', 'Kind of record that uses an image', IMAGE_USE_TYPES)

const ImageUse = t.NamedObject('ImageUse', 'A record that uses an image', {
  type: t.ref(ImageUseType),
  id: t.Id('Id of the product, banner, feature or brand'),
  name: t.Text('Name or title', 'Перфоратор Тармекс ПЕ-1400, 1400 Вт'),
})

export const Image = t.NamedObject('Image', 'An image of the library', {
  id: t.Id('Id'),
  url: t.Text('Path of the image; carries its content', '/api/v1/images/31?v=2c26b46b68ff'),
  fileName: t.Text('File name at upload', 'perforator.jpg'),
  contentType: t.Text('Detected from the bytes', 'image/jpeg'),
  size: t.Count('Bytes'),
  width: t.Count('Pixels, in display orientation'),
  height: t.Count('Pixels, in display orientation'),
  sha256: t.Text(
    'Hash of the bytes, in hexadecimal',
    '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  ),
  createdAt: t.Timestamp('Time of the upload'),
  usedBy: t.List(ImageUse, 'Records that use it: the first 100, products first'),
})
export type Image = Static<typeof Image>

export const ImageUpload = t.NamedObject('ImageUpload', 'A form with one file; other fields are ignored', {
  file: Type.String({
    description: 'JPEG, PNG, WebP, GIF or AVIF of at most 15 MB and 50 megapixels',
    format: 'binary',
    maxLength: MAX_IMAGE_BYTES,
    examples: ['perforator.jpg'],
  }),
})

export const ImageQuery = ListQuery(IMAGE_SORT, 'createdAt,desc', {
  ids: OnlyIds(`Only these images, at most ${MAX_LISTED_IDS}; none if empty`, '31,32', MAX_LISTED_IDS),
  search: t.FreeText(200, 'Part of the file name', 'perforator'),
  unused: Type.Boolean({ description: 'true: only unused images; false: only used ones' }),
})
export type ImageQuery = Static<typeof ImageQuery>

export const ImageVariantQuery = Type.Object(
  t.partial({
    v: Type.String({
      maxLength: 100,
      description: 'Of the address that records have: if it is current, the answer may be cached for a year',
      examples: ['2c26b46b68ff'],
    }),
    width: Type.Unsafe<VariantWidth>({
      type: 'integer',
      enum: VARIANT_WIDTHS,
      minimum: VARIANT_WIDTHS[0],
      maximum: VARIANT_WIDTHS.at(-1),
      description: 'Maximum width in pixels; the variant is AVIF or WebP if `Accept` names it, and never enlarged',
      examples: [640],
    }),
    format: t.Enum(['jpeg', 'png', 'webp'], {
      description: 'Format of the variant, whatever `Accept` says; without `width`: of the largest one',
      examples: ['webp'],
    }),
  }),
)

export const ImageDeletion = Type.Object({ force: t.Flag('Delete it even if it is in use') })
