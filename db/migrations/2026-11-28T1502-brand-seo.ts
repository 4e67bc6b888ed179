import { type Kysely, sql } from 'kysely'

/** Titles and descriptions of brands' pages for search engines. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into app_config (key, value, description) values
      ('seo_brand_title_template', '{name} — {siteName}', 'Placeholders {name} {siteName}'),
      ('seo_brand_description_template', '{name}. {siteName}', 'Placeholders {name} {siteName}')
    on conflict do nothing`.execute(db)
}
