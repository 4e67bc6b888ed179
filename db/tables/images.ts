import type { Generated, Selectable } from 'kysely'

export type ImagesTable = {
  id: Generated<number>
  /** Prefix of the object keys of the original and its variants. */
  storage_key: string
  file_name: string
  content_type: string
  /** Bytes. */
  size: number
  /** Pixels, in display orientation. */
  width: number
  height: number
  sha256: string
  /** Whether its common variants were drawn, or are being drawn. */
  drawn_ahead: Generated<boolean>
  created_at: Generated<Date>
}
export type ImageRow = Selectable<ImagesTable>

export type ProductImagesTable = {
  product_id: number
  image_id: number
  display_order: number
}

export const IMAGE_SORT = ['createdAt', 'fileName', 'size', 'id'] as const

export const IMAGE_USE_TYPES = ['PRODUCT', 'BANNER', 'FEATURE', 'BRAND'] as const
export type ImageUseType = (typeof IMAGE_USE_TYPES)[number]
