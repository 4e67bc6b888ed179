import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { onlyRow, prepared } from '../../prepared.ts'

export const CHANGES_CHANNEL = 'shop_changes'

/**
 * Notifies every instance, at commit, of what the transaction changed.
 * @param payloads below 8000 bytes each
 * @param events that webhooks could want of the transaction
 * @returns those that an active webhook wants, and the time; read in the same statement, to save a round trip
 */
export async function notifyChanges(
  db: Db,
  payloads: string[],
  events: string[] = [],
): Promise<{ wanted: string[]; at: Date }> {
  const query = sql<{ wanted: string[]; at: Date }>`
    select (select count(pg_notify(${CHANGES_CHANNEL}, payload)) from unnest(${payloads}::text[]) payload),
      clock_timestamp() as at, array(
      select distinct event from webhooks, unnest(events) event where active and event = any(${events}::text[])
    ) as wanted`
  return onlyRow(await prepared(db, query))
}
