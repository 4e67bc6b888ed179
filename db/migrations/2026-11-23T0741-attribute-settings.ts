import { type Kysely, sql } from 'kysely'

/** What staff decide about attributes as filters; null: by default. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table attribute_settings (
      name text primary key,
      filterable boolean,
      position int,
      unit text
    )`.execute(db)
}
