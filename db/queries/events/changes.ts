import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { onlyRow, prepared } from '../../prepared.ts'
import type { PublicationKind } from '../../tables/publications.ts'

export const CHANGES_CHANNEL = 'shop_changes'

/**
 * Notifies every instance, at commit, of what the transaction changed, and requests rebuilds of what it made outdated; in one
 * statement, to save round trips.
 * @param payloads below 8000 bytes each
 * @param events that webhooks could want of the transaction
 * @returns those that an active webhook wants, and the time
 */
export async function notifyChanges(
  trx: Trx,
  payloads: string[],
  outdated: PublicationKind[],
  events: string[],
): Promise<{ wanted: string[]; at: Date }> {
  const query = sql<{ wanted: string[]; at: Date }>`
    with requested as (insert into publication_requests (kind) select unnest(${outdated}::text[]))
    select (select count(pg_notify(${CHANGES_CHANNEL}, payload)) from unnest(${payloads}::text[]) payload),
      clock_timestamp() as at, array(
      select distinct event from webhooks, unnest(events) event where active and event = any(${events}::text[])
    ) as wanted`
  return onlyRow(await prepared(trx, query))
}
