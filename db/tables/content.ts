import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'
import type { Amount, Edited } from './columns.ts'

type ContentColumns = Edited & { active: Generated<boolean>; display_order: Generated<number> }

type Time = ColumnType<Date | null, Date | null | undefined>

export const REVIEW_SORT = ['displayOrder', 'reviewDate', 'rating', 'createdAt', 'id'] as const

export const IMAGE_SORT = ['createdAt', 'fileName', 'size', 'id'] as const

export const IMAGE_USE_TYPES = ['PRODUCT', 'BANNER', 'FEATURE', 'BRAND'] as const
export type ImageUseType = (typeof IMAGE_USE_TYPES)[number]

export const CONTACT_SORT = ['createdAt', 'updatedAt', 'name', 'status', 'id'] as const

export const CONTACT_STATUSES = ['NEW', 'READ', 'IN_PROGRESS', 'CLOSED'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]

export interface ContentTables {
  reviews: ContentColumns & {
    author: string
    rating: number
    text: string
    /** `YYYY-MM-DD`. */
    review_date: string
    /** Null: about the shop as a whole, or a product deleted since. */
    product_id: number | null
  }
  banner_blocks: ContentColumns & {
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
  feature_items: ContentColumns & {
    title: string
    description: string | null
    icon: string | null
    image_id: number | null
    link_url: string | null
  }
  images: {
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
  product_images: {
    product_id: number
    image_id: number
    display_order: number
  }
  contact_requests: Edited & {
    name: string
    phone: string
    email: string | null
    message: string
    status: Generated<ContactStatus>
    notes: string | null
    /** Lower case; the phone also as digits only. */
    search_text: GeneratedAlways<string>
  }
  /** Monthly prices, whose periods don't overlap. Dates are `YYYY-MM-DD`. */
  license_prices: Edited & {
    start_date: string
    /** Included; null: open-ended. */
    end_date: string | null
    server_cost: Amount
    support_cost: Amount
    total: GeneratedAlways<string>
  }
  license_topups: Edited & {
    date: string
    amount: Amount
    comment: string | null
  }
  app_config: {
    key: string
    value: string
    description: Generated<string>
    is_public: Generated<boolean>
    version: Generated<number>
    updated_at: Generated<Date>
  }
}

export type ReviewRow = Selectable<ContentTables['reviews']>
export type ImageRow = Selectable<ContentTables['images']>
export type ContactRequestRow = Selectable<ContentTables['contact_requests']>
