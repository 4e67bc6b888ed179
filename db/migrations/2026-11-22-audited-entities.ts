import { type Kysely, sql } from 'kysely'

/** What is audited is the service's business: a new kind of record needs no migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table audit_log drop constraint audit_log_entity_check`.execute(db)
}
