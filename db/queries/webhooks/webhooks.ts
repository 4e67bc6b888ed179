import { type Selectable, sql } from 'kysely'
import type { Attempt, WebhookEvent } from '../../../src/rules/webhooks.ts'
import type { Db, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { WebhookDeliveryRow, WebhookTables } from '../../tables/webhooks.ts'
import { fromNow } from '../expressions.ts'

export type ClaimedDelivery = Pick<WebhookDeliveryRow, 'id' | 'message_id' | 'body' | 'attempts'> &
  Pick<Selectable<WebhookTables['webhooks']>, 'url' | 'secret' | 'previous_secret' | 'previous_secret_until'>

/** The oldest pending delivery, which blocks the later ones even if its retry is a day away. */
const HEAD = sql`(
  select head.id from webhook_deliveries head
  where head.webhook_id = webhooks.id and head.status = 'PENDING'
  order by head.id limit 1
)`

/** Lists the webhooks that have something to deliver. */
export async function listDueWebhooks(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from webhooks where active and exists (
      select from webhook_deliveries d where d.id = ${HEAD} and d.next_attempt_at <= now()
    ) order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Claims the webhook's oldest delivery, if that is due, for an attempt. It becomes due again after the lease, and blocks
 * later ones meanwhile, so that one process at a time delivers to a webhook.
 */
export async function claimDelivery(db: Db, webhookId: number, leaseMs: number): Promise<ClaimedDelivery | undefined> {
  const { rows } = await sql<ClaimedDelivery>`
    update webhook_deliveries d set attempts = attempts + 1, last_error = null, next_attempt_at = ${fromNow(leaseMs)}
    from webhooks
    where webhooks.id = ${webhookId} and webhooks.active and d.id = ${HEAD} and d.next_attempt_at <= now()
    returning d.id, d.message_id, d.body, d.attempts, url, secret, previous_secret, previous_secret_until`.execute(db)
  return rows[0]
}

/** Records a success, even if the lease has been lost: the receiver has the message. */
export async function recordDelivered(db: Db, { id }: ClaimedDelivery, attempt: Attempt): Promise<void> {
  await sql`
    with delivered as (
      update webhook_deliveries set status = 'DELIVERED', response_status = ${attempt.status},
        response = ${attempt.response}, last_error = null, finished_at = now()
      where id = ${id}
      returning webhook_id
    )
    update webhooks set failing_since = null
    from delivered where webhooks.id = delivered.webhook_id and failing_since is not null`.execute(db)
}

/** The receiver doesn't exist any more and wants nothing further (Standard Webhooks specification). */
const GONE = 410

/**
 * Records a failed attempt, unless another one has begun or the delivery was restarted meanwhile. A 410 and five days of
 * failures switch the webhook off.
 * @param retryDelayMs null: no further attempt
 * @returns whether it was recorded, and whether it switched the webhook off
 */
export async function recordFailure(
  db: Db,
  { id, attempts }: ClaimedDelivery,
  attempt: Attempt,
  error: string,
  retryDelayMs: number | null,
): Promise<{ recorded: boolean; switchedOff: boolean }> {
  const { rows } = await sql<{ switched_off: boolean }>`
    with failed as (
      update webhook_deliveries set response_status = ${attempt.status}, response = ${attempt.response},
        last_error = ${error}, status = ${retryDelayMs === null ? 'FAILED' : 'PENDING'},
        next_attempt_at = ${fromNow(retryDelayMs ?? 0)},
        finished_at = ${retryDelayMs === null ? sql`now()` : null}
      where id = ${id} and status = 'PENDING' and attempts = ${attempts}
      returning webhook_id
    ), judged as (
      select w.id,
        ${attempt.status === GONE} or coalesce(w.failing_since <= now() - interval '5 days', false) as is_over
      from webhooks w join failed on w.id = failed.webhook_id
    )
    update webhooks set failing_since = coalesce(failing_since, now()), active = active and not is_over,
      switched_off_at = case when active and is_over then now() else switched_off_at end
    from judged where webhooks.id = judged.id
    returning switched_off_at = now() as switched_off`.execute(db)
  return { recorded: rows.length > 0, switchedOff: rows[0]?.switched_off ?? false }
}

/** Lists the newest deliveries of a webhook. */
export function listDeliveries(db: Db, webhookId: number, limit: number): Promise<WebhookDeliveryRow[]> {
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Gives a delivery of a webhook all its attempts again, and makes it due now. */
export function restartDelivery(trx: Trx, webhookId: number, id: number): Promise<WebhookDeliveryRow | undefined> {
  return trx
    .updateTable('webhook_deliveries')
    .set({ status: 'PENDING', attempts: 0, next_attempt_at: sql<Date>`now()`, finished_at: null })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .returningAll()
    .executeTakeFirst()
}

export type OutboxEntry = { event: WebhookEvent; body: string }

/**
 * Writes a row for each event and active webhook that wants it, in the order of the events. They are sent if the
 * transaction commits.
 */
export async function enqueueEvents(trx: Trx, entries: OutboxEntry[]): Promise<void> {
  // Locked, because a webhook that is deleted meanwhile would violate the foreign key and fail the whole change.
  const query = sql`
    insert into webhook_deliveries (webhook_id, event, body)
    select w.id, e.event, e.body
    from unnest(${entries.map(({ event }) => event)}::text[], ${entries.map(({ body }) => body)}::text[])
      with ordinality as e (event, body, position)
    join webhooks w on w.active and e.event = any(w.events)
    order by e.position, w.id
    for key share of w`
  await prepared(trx, query)
}
