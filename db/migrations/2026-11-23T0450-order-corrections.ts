import { type Kysely, sql } from 'kysely'

/**
 * What else than the state changed: fields and their values, as in the audit log. An older version, which doesn't know
 * them, reads such an entry as a change to the same state.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table order_history add before jsonb, add after jsonb`.execute(db)
}
