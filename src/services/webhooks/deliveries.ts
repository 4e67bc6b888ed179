import { randomUUID } from 'node:crypto'
import { findRecord, lockRecord } from '../../../db/queries/records.ts'
import * as deliveries from '../../../db/queries/webhooks/deliveries.ts'
import { listSecrets } from '../../../db/queries/webhooks/webhooks.ts'
import type { WebhookDeliveryRow } from '../../../db/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { found, notFound } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { failureOf, isDelivered } from '../../rules/webhooks/attempts.ts'
import { eventBody, messageIdOf } from '../../rules/webhooks/events.ts'
import { write } from '../../runtime/write.ts'
import {
  type DeliveryParams,
  type DeliveryQuery,
  WebhookDelivery,
  type WebhookTestResult,
} from '../../schemas/webhooks.ts'
import { toWire } from '../wire.ts'

const MAX_LISTED = 200
const RETENTION_DAYS = 14

/** Lists the newest deliveries of a webhook, without their bodies. @throws AppError 404 */
export async function listDeliveries(
  { db }: Deps,
  webhookId: number,
  { status }: DeliveryQuery,
): Promise<WebhookDelivery[]> {
  found(await findRecord(db, 'webhooks', webhookId), 'webhook')
  return (await deliveries.listDeliveries(db, webhookId, status, MAX_LISTED)).map(toDelivery)
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
    const after = await deliveries.restartDelivery(tx.db, id)
    const { webhook_id: webhookId, status, attempts } = before
    tx.recordChange('webhookQueue', [webhookId])
    tx.audit({
      ...{ actor, entity: 'WEBHOOK', entityId: webhookId },
      before: { delivery: { id, status, attempts } },
      after: { delivery: { id, status: after.status, attempts: after.attempts } },
    })
    return toDelivery(after)
  })
}

/** Sends a test event at once, also to a webhook that is switched off. @throws AppError 404 */
export async function testWebhook(
  { db, now, tasks, webhookSender }: Deps,
  id: number,
): Promise<WebhookTestResult> {
  const webhook = found(await findRecord(db, 'webhooks', id), 'webhook')
  const message = {
    url: webhook.url,
    id: messageIdOf(randomUUID()),
    body: eventBody('webhook.test', now(), {}),
    secrets: await listSecrets(db, id),
  }
  const attempt = await tasks.run((signal) => webhookSender.send(message, signal))
  const delivered = isDelivered(attempt)
  const { status: responseStatus, response } = attempt
  return { delivered, responseStatus, response, error: delivered ? null : failureOf(attempt) }
}

/** Deletes what was delivered or given up long ago, or still waits for a webhook that is switched off. */
export async function purgeDeliveries({ db, log }: Deps): Promise<void> {
  const deleted = await deliveries.deleteOldDeliveries(db, RETENTION_DAYS)
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
