import { type Kysely, sql } from 'kysely'

/** Whether staff had locked a category before it was mapped: unmapping it must not unlock it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table category_mappings add column was_locked boolean not null default false`.execute(db)
}
