import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { prepared } from '../../prepared.ts'

export const CHANGES_CHANNEL = 'shop_changes'

/** Notifies every instance, at commit, of what the transaction changed. @param payload below 8000 bytes */
export async function notifyChanges(db: Db, payload: string): Promise<void> {
  await prepared(db, sql`select pg_notify(${CHANGES_CHANNEL}, ${payload})`)
}
