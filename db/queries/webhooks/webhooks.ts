import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import type { Attempt, WebhookEvent } from '../../../src/rules/webhooks.ts'
import type { Db, Tables, Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import type { WebhookDeliveryRow, WebhookRow, WebhookTables } from '../../tables/webhooks.ts'
import { fromNow } from '../expressions.ts'

export function listWebhooks(db: Db): Promise<WebhookRow[]> {
  return db.selectFrom('webhooks').selectAll().orderBy('id').execute()
}

export function findWebhook(db: Db, id: number): Promise<WebhookRow | undefined> {
  return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
}

export function lockWebhook(trx: Trx, id: number): Promise<WebhookRow | undefined> {
  return trx.selectFrom('webhooks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function insertWebhook(trx: Trx, values: Insertable<WebhookTables['webhooks']>): Promise<WebhookRow> {
  return trx.insertInto('webhooks').values(values).returningAll().executeTakeFirstOrThrow()
}

export function updateWebhook(
  trx: Trx,
  id: number,
  values: Updateable<WebhookTables['webhooks']>,
): Promise<WebhookRow> {
  return trx
    .updateTable('webhooks')
    .set({ ...values, version: sql`version + 1` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function deleteWebhook(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('webhooks').where('id', '=', id).execute()
}

/** Lists the webhooks with a secret that isn't sealed. @param prefix of such a secret */
export function listUnsealedWebhooks(db: Db, prefix: string) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'secret', 'previous_secret'])
    .where((eb) =>
      eb.or([sql<boolean>`starts_with(secret, ${prefix})`, sql<boolean>`starts_with(previous_secret, ${prefix})`]),
    )
    .orderBy('id')
    .execute()
}

/** Stores the sealed secrets of a webhook, unless another one replaced its secret meanwhile. */
export async function sealWebhook(
  db: Db,
  { id, secret }: Pick<WebhookRow, 'id' | 'secret'>,
  sealed: string,
  previousSealed: string | null,
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ secret: sealed, previous_secret: previousSealed })
    .where('id', '=', id)
    .where('secret', '=', secret)
    .execute()
}

export type ClaimedDelivery = NonNullable<Awaited<ReturnType<typeof claimDelivery>>>

/** The oldest pending delivery of the webhook, which blocks the later ones even if its retry is a day away. */
function selectHead({ selectFrom }: ExpressionBuilder<Tables, 'webhooks'>) {
  return selectFrom('webhook_deliveries as head')
    .select('head.id')
    .whereRef('head.webhook_id', '=', 'webhooks.id')
    .where('head.status', '=', 'PENDING')
    .orderBy('head.id')
    .limit(1)
}

/** Lists the webhooks that have something to deliver. */
export async function listDueWebhooks(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('active', '=', true)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhook_deliveries as delivery')
          .where('delivery.id', '=', selectHead(eb))
          .where('delivery.next_attempt_at', '<=', sql<Date>`now()`),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Claims the webhook's oldest delivery, if that is due, for an attempt. It becomes due again after the lease, and blocks
 * later ones meanwhile, so that one process at a time delivers to a webhook.
 */
export function claimDelivery(db: Db, webhookId: number, leaseMs: number) {
  return db
    .updateTable('webhook_deliveries as delivery')
    .from('webhooks')
    .set(({ eb }) => ({
      attempts: eb('delivery.attempts', '+', 1),
      last_error: null,
      next_attempt_at: fromNow(leaseMs),
    }))
    .where('webhooks.id', '=', webhookId)
    .where('webhooks.active', '=', true)
    .where('delivery.id', '=', selectHead)
    .where('delivery.next_attempt_at', '<=', sql<Date>`now()`)
    .returning(['delivery.id', 'message_id', 'body', 'attempts'])
    .returning(['url', 'secret', 'previous_secret', 'previous_secret_until'])
    .executeTakeFirst()
}

/** Records a success, even if the lease has been lost: the receiver has the message. */
export async function recordDelivered(db: Db, { id }: ClaimedDelivery, attempt: Attempt): Promise<void> {
  await db
    .with('delivered', (cte) =>
      cte
        .updateTable('webhook_deliveries')
        .set({ status: 'DELIVERED', response_status: attempt.status, response: attempt.response, last_error: null })
        .set({ finished_at: sql`now()` })
        .where('id', '=', id)
        .returning('webhook_id'),
    )
    .updateTable('webhooks')
    .from('delivered')
    .set({ failing_since: null })
    .whereRef('webhooks.id', '=', 'delivered.webhook_id')
    .where('failing_since', 'is not', null)
    .execute()
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
  const isLast = retryDelayMs === null
  const rows = await db
    .with('failed', (cte) =>
      cte
        .updateTable('webhook_deliveries')
        .set({ response_status: attempt.status, response: attempt.response, last_error: error })
        .set({ status: isLast ? 'FAILED' : 'PENDING', finished_at: isLast ? sql`now()` : null })
        .set({ next_attempt_at: fromNow(retryDelayMs ?? 0) })
        .where('id', '=', id)
        .where('status', '=', 'PENDING')
        .where('attempts', '=', attempts)
        .returning('webhook_id'),
    )
    .with('judged', (cte) =>
      cte
        .selectFrom('webhooks')
        .innerJoin('failed', 'failed.webhook_id', 'webhooks.id')
        .select('webhooks.id')
        .select(
          sql<boolean>`${attempt.status === GONE} or coalesce(failing_since <= now() - interval '5 days', false)`.as(
            'is_over',
          ),
        ),
    )
    .updateTable('webhooks')
    .from('judged')
    .set({
      failing_since: sql`coalesce(failing_since, now())`,
      active: sql`active and not is_over`,
      // A form opened before would switch it on again.
      version: sql`version + (active and is_over)::int`,
      switched_off_at: sql`case when active and is_over then now() else switched_off_at end`,
    })
    .whereRef('webhooks.id', '=', 'judged.id')
    .returning(sql<boolean>`coalesce(switched_off_at = now(), false)`.as('switched_off'))
    .execute()
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
  const events = entries.map(({ event }) => event)
  const bodies = entries.map(({ body }) => body)
  const recorded = sql<OutboxEntry & { position: number }>`
    unnest(${events}::text[], ${bodies}::text[]) with ordinality`.as<'entry'>(sql`entry (event, body, position)`)
  const query = trx
    .insertInto('webhook_deliveries')
    .columns(['webhook_id', 'event', 'body'])
    .expression(({ selectFrom }) =>
      selectFrom(recorded)
        .innerJoin('webhooks', (join) => join.on(sql<boolean>`active and entry.event = any(events)`))
        .select(['webhooks.id', 'entry.event', 'entry.body'])
        .orderBy('position')
        .orderBy('webhooks.id')
        // A webhook that is deleted meanwhile would violate the foreign key and fail the whole change.
        .forKeyShare('webhooks'),
    )
  await prepared(trx, query)
}
