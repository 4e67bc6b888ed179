import { randomUUID } from 'node:crypto'
import { findRecord, lockRecord, updateRecord } from '../../../db/queries/records.ts'
import * as queries from '../../../db/queries/webhooks/webhooks.ts'
import type { WebhookDeliveryRow } from '../../../db/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import type { Target } from '../../rules/versions.ts'
import { eventBody, failureOf, isDelivered, messageIdOf, secretsAt } from '../../rules/webhooks.ts'
import { newWebhookSecret } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import {
  type DeliveryParams,
  Webhook,
  WebhookDelivery,
  type WebhookInput,
  type WebhookTestResult,
  type WebhookWithSecret,
} from '../../schemas/webhooks.ts'
import { getRecord, type RecordKind, recordUseCases } from '../records.ts'
import { toWire } from '../wire.ts'

/** How long a replaced secret signs beside the new one, for receivers to change over. */
const SECRET_OVERLAP_MS = 24 * 3_600_000

const WEBHOOKS: RecordKind<'webhooks', Webhook, WebhookInput & { secret?: string }> = {
  table: 'webhooks',
  name: 'webhook',
  entity: 'WEBHOOK',
  toWire: (row) => toWire(Webhook, row),
  toValues({ events, secret = '', ...input }, current) {
    const { active = true, description = '' } = { ...current, ...input }
    const url = input.url.trim()
    const values = { url, events, active, description: description.trim(), secret: current?.secret ?? secret }
    // Switched on again, or for another URL, it starts without past failures.
    const startsAnew = active && !(current?.active && current.url === url)
    return startsAnew ? { ...values, failing_since: null, switched_off_at: null } : values
  },
}
const useCases = recordUseCases(WEBHOOKS)
export const { list: listWebhooks, delete: deleteWebhook } = useCases

/** @throws AppError 404 */
export const getWebhook = (deps: Deps, id: number) => getRecord(deps, WEBHOOKS, id)

/** Creates a webhook and returns its secret. @throws AppError 400 */
export async function createWebhook(deps: Deps, actor: Actor, input: WebhookInput): Promise<WebhookWithSecret> {
  checkWebhook(deps, input)
  const secret = newWebhookSecret()
  return { ...(await useCases.create(deps, actor, { ...input, secret })), secret }
}

/** @throws AppError 400; 404 */
export async function updateWebhook(deps: Deps, actor: Actor, target: Target, input: WebhookInput): Promise<Webhook> {
  checkWebhook(deps, input)
  return useCases.update(deps, actor, target, input)
}

/** Replaces the secret; both sign for a day. @throws AppError 404 */
export async function rotateSecret(deps: Deps, actor: Actor, id: number): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret()
  return write(deps, async (tx) => {
    const before = found(await lockRecord(tx.db, 'webhooks', id), 'webhook')
    const previous_secret_until = new Date(deps.now().getTime() + SECRET_OVERLAP_MS)
    const values = { secret, previous_secret: before.secret, previous_secret_until }
    const after = await updateRecord(tx.db, 'webhooks', id, values)
    const rotated = { before: { secret: 'OLD' }, after: { secret: 'ROTATED' } }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: id, ...rotated })
    return { ...WEBHOOKS.toWire(after), secret }
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
  found(await findRecord(db, 'webhooks', webhookId), 'webhook')
  return (await queries.listDeliveries(db, webhookId, MAX_LISTED)).map(toDelivery)
}

/** Sends a delivery again, with all its attempts. @throws AppError 404 */
export async function retryDelivery(
  deps: Deps,
  actor: Actor,
  { id: webhookId, deliveryId }: DeliveryParams,
): Promise<WebhookDelivery> {
  return write(deps, async (tx) => {
    const restarted = found(await queries.restartDelivery(tx.db, webhookId, deliveryId), 'delivery')
    const retried = { before: { retriedDelivery: null }, after: { retriedDelivery: deliveryId } }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: webhookId, ...retried })
    return toDelivery(restarted)
  })
}

/** Sends a test event at once, also to a webhook that is switched off. @throws AppError 404 */
export async function testWebhook({ db, now, tasks, webhookSender }: Deps, id: number): Promise<WebhookTestResult> {
  const row = found(await findRecord(db, 'webhooks', id), 'webhook')
  const body = eventBody('webhook.test', now(), {})
  const message = { url: row.url, secrets: secretsAt(now(), row), id: messageIdOf(randomUUID()), body }
  const attempt = await tasks.run((signal) => webhookSender.send(message, signal))
  const delivered = isDelivered(attempt)
  const { status: responseStatus, response } = attempt
  return { delivered, responseStatus, response, error: delivered ? null : failureOf(attempt) }
}

function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return toWire(WebhookDelivery, {
    ...row,
    message_id: messageIdOf(row.message_id),
    next_attempt_at: row.status === 'PENDING' ? row.next_attempt_at : null,
    error: row.last_error,
  })
}
