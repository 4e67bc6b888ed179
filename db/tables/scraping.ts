import type { Generated, Selectable } from 'kysely'

export const OVERRIDE_MODES = ['REPLACE', 'APPEND'] as const

/** Images that staff chose for a product: instead of those of its page, or after them. */
export type ProductImageOverridesTable = {
  id: Generated<number>
  product_id: number
  mode: (typeof OVERRIDE_MODES)[number]
  urls: string[]
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type ProductImageOverrideRow = Selectable<ProductImageOverridesTable>

/** Products whose images shall be fetched; of each at most one task is PENDING or IN_PROGRESS. */
export type ScrapeQueueTable = {
  id: Generated<number>
  product_id: number
  /** Null: what is known of the product decides when the task is taken. */
  product_page_url: string | null
  status: Generated<'PENDING' | 'IN_PROGRESS' | 'DONE' | 'FAILED'>
  attempts: Generated<number>
  error_message: string | null
  /** Of a task that is being worked on: after that it counts as left behind. */
  leased_until: Date | null
  next_attempt_at: Generated<Date>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ImageDownloadLogTable = {
  id: Generated<number>
  product_id: number
  image_url: string
  status: 'SUCCESS' | 'FAILED'
  attempts: Generated<number>
  error_message: string | null
  image_id: number | null
  first_seen_at: Generated<Date>
  last_attempt_at: Generated<Date>
}
