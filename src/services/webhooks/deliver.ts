import * as queue from '../../../db/queries/webhooks/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { ATTEMPT_TIMEOUT_MS, failureOf, isDelivered, messageIdOf, retryDelayMs } from '../../rules/webhooks.ts'
import { signingSecrets, UNREADABLE } from './secrets.ts'

/** Longer than an attempt; after a crash the delivery waits for the rest of it. */
const LEASE_MS = 3 * ATTEMPT_TIMEOUT_MS
/** How long a shutdown waits for an attempt. */
const GRACE_MS = 3000

/**
 * Starts to deliver what is due: all webhooks at once, each one's deliveries one after the other. A delivery that fails
 * keeps those behind it waiting, so that they arrive in order. No transaction is open during a request, and a delivery whose
 * sender crashed is repeated with the same id (docs/events.md).
 */
export async function startDeliveries(deps: Deps): Promise<{ finished: Promise<void> }> {
  const ids = await queue.listDueWebhooks(deps.db)
  const deliveries = ids.map((id) =>
    deps.tasks
      .run(async (signal) => {
        while (!deps.tasks.stopping && (await deliverNext(deps, id, signal))) {}
      }, GRACE_MS)
      .catch((err: unknown) => {
        if (!deps.tasks.stopping) deps.log.error({ err, webhook: id }, 'webhook deliveries interrupted')
      }),
  )
  return { finished: Promise.all(deliveries).then(() => {}) }
}

/** @returns whether another delivery may be due */
async function deliverNext(deps: Deps, webhook: number, signal: AbortSignal): Promise<boolean> {
  const { db, log, webhookSender } = deps
  const delivery = await queue.claimDelivery(db, webhook, LEASE_MS)
  if (delivery === undefined) return false
  const { id, url, body, attempts } = delivery
  const secrets = signingSecrets(deps, delivery)
  const message = { url, id: messageIdOf(delivery.message_id), body, secrets }
  const attempt = secrets.length > 0 ? await webhookSender.send(message, signal) : UNREADABLE
  if (isDelivered(attempt)) {
    await queue.recordDelivered(db, delivery, attempt)
    return true
  }
  const error = failureOf(attempt)
  const delayMs = retryDelayMs(attempts, attempt)
  const { recorded, switchedOff } = await queue.recordFailure(db, delivery, attempt, error, delayMs)
  if (!recorded) return true
  const line = { webhook, delivery: id, attempts, error }
  if (switchedOff) log.error(line, 'webhook switched off')
  else log.warn(line, 'webhook delivery failed')
  return delayMs === null
}
