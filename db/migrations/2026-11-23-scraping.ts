import { type Kysely, sql } from 'kysely'

/** What a task of the scraper is asked for beside its page, and where on the page an image stood. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table gbstore_scrape_queue
    add reads_page boolean not null default true,
    add image_urls text[] not null default '{}'`,
  `alter table gbstore_image_download_log add position int`,
  `create index gbstore_image_download_log_attempt on gbstore_image_download_log (last_attempt_at, id)`,
  `create index gbstore_scrape_queue_page_trgm on gbstore_scrape_queue
    using gin (lower(product_page_url) gin_trgm_ops)`,
  `create index gbstore_image_download_log_url_trgm on gbstore_image_download_log
    using gin (lower(image_url) gin_trgm_ops)`,
]
