import { type Kysely, sql } from 'kysely'

/** Attempts that a crash interrupted had no outcome. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update order_submit_attempts set outcome = 'UNCLEAR' where outcome is null`.execute(db)
}
