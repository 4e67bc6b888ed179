import { type Kysely, sql } from 'kysely'

/** Rebuilds that were asked for outlive the process. Rows are inserted only, so that concurrent writes don't wait. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table publication_requests (
      id int generated always as identity primary key,
      kind text not null check (kind in ('feed', 'sitemap')),
      requested_at timestamptz not null default now()
    )`.execute(db)
}
