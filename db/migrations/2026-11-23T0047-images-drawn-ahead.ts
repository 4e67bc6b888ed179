import { type Kysely, sql } from 'kysely'

/** Remembers of which images the common variants were drawn ahead. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table images add drawn_ahead boolean not null default false`.execute(db)
  await sql`create index images_not_drawn_ahead on images (id) where not drawn_ahead`.execute(db)
}
