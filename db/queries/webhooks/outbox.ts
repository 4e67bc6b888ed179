import { sql } from 'kysely'
import type { Occurrence } from '../../../src/rules/webhooks/events.ts'
import type { Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'

export type OutboxEntry = { event: Occurrence['event']; body: string }

/**
 * Writes a row for each event and active webhook that wants it, in the order of the events. They are sent if the
 * transaction commits.
 * @returns the webhooks
 */
export async function enqueueEvents(trx: Trx, entries: OutboxEntry[]): Promise<number[]> {
  // The lock waits for a webhook that is being deleted: the row would refer to nothing, which would fail the change.
  const rows = await prepared<{ webhook_id: number }>(
    trx,
    sql`
    insert into webhook_deliveries (webhook_id, event, body)
    select w.id, e.event, e.body
    from unnest(${entries.map(({ event }) => event)}::text[], ${entries.map(({ body }) => body)}::text[])
      with ordinality as e (event, body, position)
    join webhooks w on w.active and e.event = any(w.events)
    order by e.position, w.id
    for key share of w
    returning webhook_id`,
  )
  return [...new Set(rows.map(({ webhook_id }) => webhook_id))]
}
