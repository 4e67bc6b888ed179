import { type Kysely, sql } from 'kysely'

/** Categories of the supplier's that staff deleted: they don't come back with his next list. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table deleted_categories (
      external_id text primary key,
      deleted_at timestamptz not null default now()
    )`.execute(db)
}
