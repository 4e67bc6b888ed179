import { randomUUID } from 'node:crypto'
import * as rows from '../../../db/queries/webhooks/webhooks.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../../../db/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { hasChanges, refuseStale, type Target } from '../../rules/versions.ts'
import { eventBody, failureOf, isDelivered, messageIdOf } from '../../rules/webhooks.ts'
import { newWebhookSecret } from '../../runtime/secrets.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type {
  DeliveryParams,
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookTestResult,
  WebhookWithSecret,
} from '../../schemas/webhooks.ts'
import { sealSecret, signingSecrets, UNREADABLE } from './secrets.ts'

/** How long a replaced secret signs beside the new one, for receivers to change over. */
const SECRET_OVERLAP_MS = 24 * 3_600_000

export async function listWebhooks({ db }: Deps): Promise<Webhook[]> {
  return (await rows.listWebhooks(db)).map(toWebhook)
}

/** @throws AppError 404 */
export async function getWebhook({ db }: Deps, id: number): Promise<Webhook> {
  return toWebhook(found(await rows.findWebhook(db, id), 'webhook'))
}

/** Creates a webhook and returns its secret. @throws AppError 400 */
export function createWebhook(deps: Deps, actor: Actor, input: WebhookInput): Promise<WebhookWithSecret> {
  checkWebhook(deps, input)
  const secret = newWebhookSecret()
  return write(deps, async (tx) => {
    const values = { ...toValues(input, null), secret: sealSecret(deps, secret) }
    const webhook = toWebhook(await rows.insertWebhook(tx.db, values))
    tx.audit({ actor, entity: 'WEBHOOK', entityId: webhook.id, before: null, after: webhook })
    return { ...webhook, secret }
  })
}

/** @throws AppError 400; 404; 412 STALE */
export function updateWebhook(deps: Deps, actor: Actor, target: Target, input: WebhookInput): Promise<Webhook> {
  checkWebhook(deps, input)
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const values = toValues(input, before)
    if (!hasChanges(before, values)) return toWebhook(before)
    const after = toWebhook(await rows.updateWebhook(tx.db, before.id, values))
    tx.audit({ actor, entity: 'WEBHOOK', entityId: before.id, before: toWebhook(before), after })
    return after
  })
}

/** @throws AppError 404; 412 STALE */
export function deleteWebhook(deps: Deps, actor: Actor, target: Target): Promise<void> {
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    await rows.deleteWebhook(tx.db, before.id)
    tx.audit({ actor, entity: 'WEBHOOK', entityId: before.id, before: toWebhook(before), after: null })
  })
}

async function lockCurrent(tx: UnitOfWork, { id, ifMatch }: Target): Promise<WebhookRow> {
  const row = found(await rows.lockWebhook(tx.db, id), 'webhook')
  await refuseStale(ifMatch, row.version, () => toWebhook(row))
  return row
}

/** Replaces the secret; both sign for a day. @throws AppError 404; 412 STALE */
export async function rotateSecret(deps: Deps, actor: Actor, target: Target): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret()
  return write(deps, async (tx) => {
    const before = await lockCurrent(tx, target)
    const previous_secret_until = new Date(deps.now().getTime() + SECRET_OVERLAP_MS)
    const values = { secret: sealSecret(deps, secret), previous_secret: before.secret, previous_secret_until }
    const after = await rows.updateWebhook(tx.db, before.id, values)
    const rotated = { before: { secret: 'OLD' }, after: { secret: 'ROTATED' } }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: before.id, ...rotated })
    return { ...toWebhook(after), secret }
  })
}

/** Checks the URL if it is given. @throws AppError 400 */
export function checkWebhook({ webhookSender }: Deps, { url }: Partial<WebhookInput>): void {
  const reason = url === undefined ? null : webhookSender.refusalOf(new URL(url))
  if (reason !== null) throw invalid({ path: 'url', ...reason })
}

const MAX_LISTED = 200

/** Lists the newest deliveries of a webhook, without their bodies. @throws AppError 404 */
export async function listDeliveries({ db }: Deps, webhookId: number): Promise<WebhookDelivery[]> {
  found(await rows.findWebhook(db, webhookId), 'webhook')
  return (await rows.listDeliveries(db, webhookId, MAX_LISTED)).map(toDelivery)
}

/** Sends a delivery again, with all its attempts. @throws AppError 404 */
export async function retryDelivery(
  deps: Deps,
  actor: Actor,
  { id: webhookId, deliveryId }: DeliveryParams,
): Promise<WebhookDelivery> {
  return write(deps, async (tx) => {
    const restarted = found(await rows.restartDelivery(tx.db, webhookId, deliveryId), 'delivery')
    const retried = { before: { retriedDelivery: null }, after: { retriedDelivery: deliveryId } }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: webhookId, ...retried })
    return toDelivery(restarted)
  })
}

/** Sends a test event at once, also to a webhook that is switched off. @throws AppError 404 */
export async function testWebhook(deps: Deps, id: number): Promise<WebhookTestResult> {
  const { db, now, tasks, webhookSender } = deps
  const row = found(await rows.findWebhook(db, id), 'webhook')
  const body = eventBody('webhook.test', now(), {})
  const secrets = signingSecrets(deps, row)
  const message = { url: row.url, secrets, id: messageIdOf(randomUUID()), body }
  const attempt = secrets.length > 0 ? await tasks.run((signal) => webhookSender.send(message, signal)) : UNREADABLE
  const delivered = isDelivered(attempt)
  const { status: responseStatus, response } = attempt
  return { delivered, responseStatus, response, error: delivered ? null : failureOf(attempt) }
}

/** The columns that an input sets. @param current the webhook to update; null for a new one */
function toValues({ url, events, ...input }: WebhookInput, current: WebhookRow | null) {
  const { active = true, description = '' } = { ...current, ...input }
  const values = { url: url.trim(), events, active, description: description.trim() }
  // Switched on again, or for another URL, it starts without past failures.
  const startsAnew = active && !(current?.active && current.url === values.url)
  return startsAnew ? { ...values, failing_since: null, switched_off_at: null } : values
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    active: row.active,
    description: row.description,
    failingSince: row.failing_since?.toISOString() ?? null,
    version: row.version,
    createdAt: row.created_at.toISOString(),
  }
}

function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  const isPending = row.status === 'PENDING'
  return {
    id: row.id,
    webhookId: row.webhook_id,
    messageId: messageIdOf(row.message_id),
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: isPending ? row.next_attempt_at.toISOString() : null,
    responseStatus: row.response_status,
    response: row.response,
    error: row.last_error,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}
