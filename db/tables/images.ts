import type { Generated } from 'kysely'

export type ImagesTable = {
  id: Generated<number>
  storage_key: string
  file_name: string
  content_type: string
  /** Bytes. */
  size: number
  /** Pixels. */
  width: number
  height: number
  sha256: string
  created_at: Generated<Date>
}

export type ProductImagesTable = {
  product_id: number
  image_id: number
  display_order: number
}
