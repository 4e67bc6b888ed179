import { type Kysely, sql } from 'kysely'

/** A supplier's feed may be served in an encoding that only its `Content-Type` names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table xml_pipeline_runs add column content_type text`.execute(db)
}
