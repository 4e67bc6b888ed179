import { sql } from 'kysely'
import type { Db } from '../../database.ts'

/** False for a standby and for a database in read-only mode. */
export async function acceptsWrites(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    writable: boolean
  }>`select current_setting('transaction_read_only') = 'off' as writable`.execute(db)
  return rows[0]?.writable === true
}
