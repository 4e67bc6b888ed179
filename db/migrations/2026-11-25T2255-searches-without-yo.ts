import { type Kysely, sql } from 'kysely'

/** Searches of contact requests and images find ё for е and е for ё, as those of orders and products do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `drop index contact_requests_search_text`,
  `create index contact_requests_search_text on contact_requests using gin (replace(search_text, 'ё', 'е') gin_trgm_ops)`,
  `drop index images_file_name`,
  `create index images_file_name on images
    using gin (replace(lower(file_name collate "und-x-icu"), 'ё', 'е') gin_trgm_ops)`,
]
