import type { Generated, Selectable } from 'kysely'
import type { Dated, Edited } from './columns.ts'

export const OVERRIDE_MODES = ['REPLACE', 'APPEND'] as const

export const SCRAPE_STATUSES = ['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED'] as const

export const DOWNLOAD_STATUSES = ['SUCCESS', 'FAILED'] as const

export interface ScrapingTables {
  /** Images chosen by staff, instead of those of the product's page or after them. */
  product_image_overrides: Edited & {
    product_id: number
    mode: (typeof OVERRIDE_MODES)[number]
    urls: string[]
  }
  /** At most one task of a product is active: PENDING or IN_PROGRESS. */
  gbstore_scrape_queue: Dated & {
    product_id: number
    /** Null: the URL known from the supplier or the feed when the task starts. */
    product_page_url: string | null
    status: Generated<(typeof SCRAPE_STATUSES)[number]>
    attempts: Generated<number>
    error_message: string | null
    /** Set while in progress. */
    leased_until: Date | null
    next_attempt_at: Generated<Date>
    /** False: only `image_urls` are downloaded. */
    reads_page: Generated<boolean>
    /** Requested by staff: downloaded even if they were before. */
    image_urls: Generated<string[]>
  }
  gbstore_image_download_log: {
    id: Generated<number>
    product_id: number
    image_url: string
    status: (typeof DOWNLOAD_STATUSES)[number]
    attempts: Generated<number>
    error_message: string | null
    /** Null after a failure, after the image's deletion, and when an override replaced it. */
    image_id: number | null
    /** Place on the page, from 0; null: on no page. */
    position: number | null
    first_seen_at: Generated<Date>
    last_attempt_at: Generated<Date>
  }
}

export type ScrapeTaskRow = Selectable<ScrapingTables['gbstore_scrape_queue']>
