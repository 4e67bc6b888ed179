import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** Whether the database takes writes; a standby and one that was switched to read-only don't. */
export async function takesWrites(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    writable: boolean
  }>`select current_setting('transaction_read_only') = 'off' as writable`.execute(db)
  return rows[0]?.writable === true
}
