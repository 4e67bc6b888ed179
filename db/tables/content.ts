import type { ColumnType, Generated, Selectable } from 'kysely'
import type { Edited } from './columns.ts'

type ContentColumns = Edited & { active: Generated<boolean>; display_order: Generated<number> }

export type ReviewsTable = ContentColumns & {
  author: string
  rating: number
  text: string
  /** `YYYY-MM-DD`. */
  review_date: string
  /** Null: about the shop as a whole, or a product deleted since. */
  product_id: number | null
}
export type ReviewRow = Selectable<ReviewsTable>

/** Written as ISO 8601. */
type Time = ColumnType<Date | null, string | null | undefined, string | null>

export type BannerBlocksTable = ContentColumns & {
  title: string
  subtitle: string | null
  text: string | null
  image_id: number | null
  link_url: string | null
  button_text: string | null
  position: string | null
  /** Null: no lower limit. */
  active_from: Time
  /** Exclusive; null: no upper limit. */
  active_to: Time
}
export type BannerBlockRow = Selectable<BannerBlocksTable>

export type FeatureItemsTable = ContentColumns & {
  title: string
  description: string | null
  icon: string | null
  image_id: number | null
  link_url: string | null
}

export const REVIEW_SORT = ['displayOrder', 'reviewDate', 'rating', 'createdAt', 'id'] as const
