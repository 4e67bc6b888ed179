import { sql } from 'kysely'
import type { Trx } from '../../database.ts'
import { onlyRow, type Params, prepare } from '../../prepared.ts'
import type { PublicationKind } from '../../tables/publications.ts'

export const CHANGES_CHANNEL = 'shop_changes'

type Notification = { payloads: string[]; outdated: PublicationKind[]; events: string[] }

const notifyStatement = prepare((db, { payloads, outdated, events }: Params<Notification>) => {
  const wanted = db
    .selectFrom(['webhooks', sql<{ event: string }>`unnest(webhooks.events)`.as<'of_webhook'>(sql`of_webhook(event)`)])
    .select('of_webhook.event')
    .distinct()
    .where('webhooks.active', '=', true)
    .where('of_webhook.event', '=', sql<string>`any(${events}::text[])`)
  return db
    .with('requested', (db) =>
      db
        .insertInto('publication_requests')
        .columns(['kind'])
        .expression(db.selectNoFrom(sql`unnest(${outdated}::text[])`.as('kind'))),
    )
    .selectNoFrom(({ selectFrom, fn }) => [
      selectFrom(sql`unnest(${payloads}::text[])`.as<'sent'>(sql`sent(payload)`))
        .select(fn.count<number>(sql`pg_notify(${CHANGES_CHANNEL}, payload)`).as('count'))
        .as('notified'),
      sql<Date>`clock_timestamp()`.as('at'),
      sql<string[]>`array(${wanted})`.as('wanted'),
    ])
})

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
  return onlyRow(await notifyStatement(trx, { payloads, outdated, events }))
}
