import { type Kysely, sql } from 'kysely'

/** Feeds of several formats, whose kinds the code knows, and settings of what offers say. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table publications drop constraint publications_kind_check`,
  `alter table publication_requests drop constraint publication_requests_kind_check`,
  `alter table publication_checks drop constraint publication_checks_kind_check`,
  `insert into app_config (key, value, description) values
    ('feed_product_url', '/products/{slug}', 'Address of product pages in feeds, with {slug} or {id}: a path of SITE_URL, or a whole address'),
    ('feed_image_url', '', 'Where feeds find the images of the API, such as https://images.shop.example; empty: SITE_URL'),
    ('feed_store', 'false', 'Whether the YML feed says that products can be bought in a store'),
    ('feed_pickup', 'false', 'Whether the YML feed says that products can be picked up'),
    ('feed_delivery', 'true', 'Whether the YML feed says that products are delivered')
    on conflict (key) do nothing`,
]
