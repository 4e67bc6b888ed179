import type { Generated, Selectable } from 'kysely'
import type { SortFields } from '../../src/rules/lists.ts'

export const OVERRIDE_MODES = ['REPLACE', 'APPEND'] as const
export const SCRAPE_STATUSES = ['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED'] as const
export const DOWNLOAD_STATUSES = ['SUCCESS', 'FAILED'] as const

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
  status: Generated<(typeof SCRAPE_STATUSES)[number]>
  attempts: Generated<number>
  error_message: string | null
  /** Of a task that is being worked on: after that it counts as left behind. */
  leased_until: Date | null
  next_attempt_at: Generated<Date>
  /** False: only `image_urls` are asked for. */
  reads_page: Generated<boolean>
  /** Images that staff asked for by their addresses: fetched whatever was fetched before. */
  image_urls: Generated<string[]>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

export type ScrapeTaskRow = Selectable<ScrapeQueueTable>

export const SCRAPE_TASK_SORT = {
  id: ['id'],
  createdAt: ['created_at', 'id'],
  updatedAt: ['updated_at', 'id'],
  productId: ['product_id', 'id'],
} as const satisfies SortFields<ScrapeTaskRow>

export type ImageDownloadLogTable = {
  id: Generated<number>
  product_id: number
  image_url: string
  status: (typeof DOWNLOAD_STATUSES)[number]
  attempts: Generated<number>
  error_message: string | null
  /** Of a success: null when the image is gone, or others were taken in its place. */
  image_id: number | null
  /** From 0, among the images of its page; null: it was on none. */
  position: number | null
  first_seen_at: Generated<Date>
  last_attempt_at: Generated<Date>
}
export type ImageDownloadRow = Selectable<ImageDownloadLogTable>

export const IMAGE_DOWNLOAD_SORT = {
  id: ['id'],
  firstSeenAt: ['first_seen_at', 'id'],
  lastAttemptAt: ['last_attempt_at', 'id'],
  productId: ['product_id', 'id'],
} as const satisfies SortFields<ImageDownloadRow>
