import { type Kysely, sql } from 'kysely'

/** The library is searched by name, listed by age, and asked whether it has certain bytes and what shows an image. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create index images_sha256 on images (sha256)`,
  `create index images_created on images (created_at, id)`,
  `drop index product_images_image`,
  `create index product_images_image on product_images (image_id, product_id)`,
  `create index images_file_name on images using gin (file_name gin_trgm_ops)`,
]
