import { randomUUID } from 'node:crypto'
import { deleteRecord, findRecord, insertRecord, listRecords, lockRecord } from '../../../db/queries/records.ts'
import * as queries from '../../../db/queries/webhooks/webhooks.ts'
import type { WebhookDeliveryRow, WebhookRow } from '../../../db/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { found, invalid, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { eventBody, failureOf, isDelivered, messageIdOf } from '../../rules/webhooks.ts'
import { newWebhookSecret } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import {
  type DeliveryParams,
  type DeliveryQuery,
  Webhook,
  WebhookDelivery,
  type WebhookInput,
  type WebhookTestResult,
  type WebhookWithSecret,
} from '../../schemas/webhooks.ts'
import { toWire } from '../wire.ts'

/** How long a replaced secret signs beside the new one, for receivers to change over. */
const SECRET_OVERLAP_MS = 24 * 3_600_000

export async function listWebhooks({ db }: Deps): Promise<Webhook[]> {
  return (await listRecords(db, 'webhooks')).map(toWebhook)
}

/** @throws AppError 404 */
export async function getWebhook({ db }: Deps, id: number): Promise<Webhook> {
  return toWebhook(found(await findRecord(db, 'webhooks', id), 'webhook'))
}

/** Creates a webhook and returns its secret. @throws AppError 400 */
export async function createWebhook(
  deps: Deps,
  actor: Actor,
  { events, active = true, description = '', ...input }: WebhookInput,
): Promise<WebhookWithSecret> {
  const url = await acceptedUrl(deps, input)
  const secret = newWebhookSecret()
  const values = { url, events, active, description: description.trim(), secret }
  return write(deps, async (tx) => {
    const row = await insertRecord(tx.db, 'webhooks', values)
    tx.audit({ actor, entity: 'WEBHOOK', entityId: row.id, before: null, after: auditedFields(row) })
    return { ...toWebhook(row), secret }
  })
}

/**
 * Changes a webhook. One that is switched on, or gets another URL, tries at once what waits for it.
 * @throws AppError 400; 404
 */
export async function updateWebhook(
  deps: Deps,
  actor: Actor,
  { id }: { id: number },
  input: WebhookInput,
): Promise<Webhook> {
  const url = await acceptedUrl(deps, input)
  return write(deps, async (tx) => {
    const before = found(await lockRecord(tx.db, 'webhooks', id), 'webhook')
    const { events, active = before.active, description = before.description } = input
    const switchedOn = active && !before.active
    const after = await queries.updateWebhook(tx.db, id, {
      url,
      events,
      active,
      description: description.trim(),
      ...(switchedOn ? { failing_since: null, switched_off_at: null } : {}),
    })
    if (active && (switchedOn || url !== before.url)) {
      await queries.hurryWebhook(tx.db, id)
      tx.recordChange('webhookQueue', [id])
    }
    const audited = { before: auditedFields(before), after: auditedFields(after) }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: id, ...audited })
    return toWebhook(after)
  })
}

/** Replaces the secret; both sign for a day. @throws AppError 404 */
export async function rotateSecret(deps: Deps, actor: Actor, id: number): Promise<WebhookWithSecret> {
  const secret = newWebhookSecret()
  return write(deps, async (tx) => {
    const before = found(await lockRecord(tx.db, 'webhooks', id), 'webhook')
    const after = await queries.replaceSecret(tx.db, before, secret, SECRET_OVERLAP_MS)
    const rotated = { before: { secret: 'OLD' }, after: { secret: 'ROTATED' } }
    tx.audit({ actor, entity: 'WEBHOOK', entityId: id, ...rotated })
    return { ...toWebhook(after), secret }
  })
}

/** Deletes a webhook and what waits for it. @throws AppError 404 */
export async function deleteWebhook(deps: Deps, actor: Actor, { id }: { id: number }): Promise<void> {
  await write(deps, async (tx) => {
    const deleted = found(await deleteRecord(tx.db, 'webhooks', id), 'webhook')
    tx.audit({ actor, entity: 'WEBHOOK', entityId: id, before: auditedFields(deleted), after: null })
  })
}

/** Checks the URL if it is given. Credentials in the URL would show in lists and in the audit log. @throws AppError 400 */
export function checkWebhook(input: Partial<WebhookInput>): void {
  if (input.url === undefined) return
  const url = URL.parse(input.url)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw invalid({ path: 'url', message: 'must be an http(s) URL' })
  if (url.username !== '' || url.password !== '')
    throw invalid({ path: 'url', message: 'must not contain credentials' })
}

async function acceptedUrl({ webhookSender }: Deps, input: Pick<WebhookInput, 'url'>): Promise<string> {
  checkWebhook(input)
  const url = input.url.trim()
  const message = await webhookSender.refusalOf(url)
  if (message !== null) throw invalid({ path: 'url', message })
  return url
}

function auditedFields({ url, events, active, description }: WebhookRow) {
  return { url, events, active, description }
}

const toWebhook = (row: WebhookRow): Webhook => toWire(Webhook, row)

const MAX_LISTED = 200
const RETENTION_DAYS = 14

/** Lists the newest deliveries of a webhook, without their bodies. @throws AppError 404 */
export async function listDeliveries(
  { db }: Deps,
  webhookId: number,
  { status }: DeliveryQuery,
): Promise<WebhookDelivery[]> {
  found(await findRecord(db, 'webhooks', webhookId), 'webhook')
  return (await queries.listDeliveries(db, webhookId, status, MAX_LISTED)).map(toDelivery)
}

/** Makes a delivery due at once, with all its attempts; one that arrived is sent again. @throws AppError 404 */
export async function retryDelivery(
  deps: Deps,
  actor: Actor,
  { id: ownerId, deliveryId: id }: DeliveryParams,
): Promise<WebhookDelivery> {
  return write(deps, async (tx) => {
    const before = await lockRecord(tx.db, 'webhook_deliveries', id)
    if (before?.webhook_id !== ownerId) throw notFound('delivery')
    const after = await queries.restartDelivery(tx.db, id)
    const { webhook_id: webhookId, status, attempts } = before
    tx.recordChange('webhookQueue', [webhookId])
    tx.audit({
      actor,
      entity: 'WEBHOOK',
      entityId: webhookId,
      before: { delivery: { id, status, attempts } },
      after: { delivery: { id, status: after.status, attempts: after.attempts } },
    })
    return toDelivery(after)
  })
}

/** Sends a test event at once, also to a webhook that is switched off. @throws AppError 404 */
export async function testWebhook({ db, now, tasks, webhookSender }: Deps, id: number): Promise<WebhookTestResult> {
  const target = found(await queries.findTarget(db, id), 'webhook')
  const message = {
    ...target,
    id: messageIdOf(randomUUID()),
    body: eventBody('webhook.test', now(), {}),
  }
  const attempt = await tasks.run((signal) => webhookSender.send(message, signal))
  const delivered = isDelivered(attempt)
  const { status: responseStatus, response } = attempt
  return { delivered, responseStatus, response, error: delivered ? null : failureOf(attempt) }
}

/** Deletes what was delivered or given up long ago, or still waits for a webhook that is switched off. */
export async function purgeDeliveries({ db, log }: Deps): Promise<void> {
  const deleted = await queries.deleteOldDeliveries(db, RETENTION_DAYS)
  if (deleted > 0) log.info({ deleted }, 'old webhook deliveries deleted')
}

function toDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return toWire(WebhookDelivery, {
    ...row,
    message_id: messageIdOf(row.message_id),
    next_attempt_at: row.status === 'PENDING' ? row.next_attempt_at : null,
    error: row.last_error,
  })
}
