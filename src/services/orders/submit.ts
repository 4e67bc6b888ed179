import { setTimeout as delay } from 'node:timers/promises'
import { tryOrderLock } from '../../../db/advisory-locks.ts'
import {
  closeInterruptedAttempts,
  finishAttempt,
  insertAttempt,
} from '../../../db/queries/orders/attempts.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import { lockOrderRow, markSending } from '../../../db/queries/orders/orders.ts'
import { databaseTime } from '../../../db/queries/stock/holds.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { AppError, conflict, notFound } from '../../errors.ts'
import { isOpen } from '../../rules/orders/states.ts'
import type { OrderAnswer, SupplierOrder } from '../../rules/supplier/records.ts'
import type { Target } from '../../rules/versions.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { Order } from '../../schemas/orders.ts'
import { findQuantities } from '../stock/holds.ts'
import { allowsBackorder } from '../stock/offers.ts'
import { auditOrder } from './audit.ts'
import { toOrder } from './json.ts'
import { changeOrderStatus, lockForSubmission } from './status.ts'

/** A change of the order holds its lock for the moment of its transaction. */
const LOCK_WAIT_MS = 1000
/** How long a database that is away is waited for with an answer in hand. */
const RECORD_MS = 10_000
const RECORD_RETRY_MS = 500
/** How long calls under way may go on when the service stops; it has to be gone after ten seconds. */
const FINISH_MS = 6000

type SubmissionDeps = Pick<
  Deps,
  'db' | 'log' | 'config' | 'changes' | 'cached' | 'supplier' | 'submissionQueue' | 'tasks'
>

/**
 * Sends an order to the supplier (specification, "Order states"; contract section 5, "Submit").
 * @returns the order as staff see it, SENT or ERROR
 * @throws AppError 404; 409 ORDER_SUBMITTING, ORDER_NOT_SUBMITTABLE, NOT_A_SUPPLIER_PRODUCT, PRODUCT_UNAVAILABLE when
 *   it let go of its quantities and others have taken them; 412 STALE; 503 when stopping
 */
export function submitOrder(deps: SubmissionDeps, actor: UserRow, target: Target): Promise<Order> {
  return deps.tasks.run(
    (signal) => deps.submissionQueue.add(() => submit(deps, actor, target, signal)),
    FINISH_MS,
  )
}

async function submit(
  deps: SubmissionDeps,
  actor: UserRow,
  target: Target,
  signal: AbortSignal,
): Promise<Order> {
  if (deps.tasks.stopping) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
  const lock = await tryOrderLock(deps.config.databaseUrl, target.id, LOCK_WAIT_MS)
  if (lock === null) throw conflict('ORDER_SUBMITTING', 'The order is being submitted or changed just now')
  try {
    return await submitLocked(deps, target, actor, signal)
  } finally {
    await lock.release()
  }
}

type Attempt = { id: number; orderId: number; sentBefore: Date | null; body: { [key: string]: unknown } }

/**
 * For whoever holds the order's lock. No transaction is open while the supplier is called; a crash at any moment
 * leaves an order that can be submitted again, and the supplier knows it by its reference.
 */
async function submitLocked(
  deps: SubmissionDeps,
  target: Target,
  actor: UserRow,
  cutOff: AbortSignal,
): Promise<Order> {
  const { log, supplier } = deps
  const { id: orderId } = target
  const backorder = await allowsBackorder(deps)
  const attempt = await write(deps, (tx) => begin(tx, supplier, target, backorder))
  const started = performance.now()
  const answer = await supplier.createOrder(attempt.body, cutOff)
  const durationMs = Math.round(performance.now() - started)
  const { answer: _, ...outcome } = answer
  if (answer.outcome === 'ACCEPTED') log.info({ orderId, durationMs, ...outcome }, 'order submitted')
  else log.warn({ orderId, durationMs, ...outcome }, 'order submission failed')
  return persistently(deps, cutOff, (tx) => record(tx, attempt, answer, { durationMs, actor, backorder }))
}

async function begin(
  tx: UnitOfWork,
  supplier: Deps['supplier'],
  target: Target,
  backorder: boolean,
): Promise<Attempt> {
  const trx = tx.db
  const { id: orderId } = target
  const order = await lockForSubmission(trx, target)
  if (!isOpen(order.status)) {
    throw conflict('ORDER_NOT_SUBMITTABLE', `An order that is ${order.status} can't be submitted`)
  }
  const items = await listItems(trx, [orderId])
  const body = supplier.orderBody(toSupplierOrder(order, items))
  await findQuantities(tx, orderId, items, { wasOpen: true, backorder })
  await closeInterruptedAttempts(trx, orderId)
  const now = await databaseTime(trx)
  const id = await insertAttempt(trx, orderId, body, now)
  // From here on the supplier may have it, even if we never hear of it.
  await markSending(trx, orderId, now)
  return { id, orderId, sentBefore: order.sent_at, body }
}

/** @throws AppError 409 that names the lines of which the supplier knows nothing */
function toSupplierOrder(order: OrderRow, items: OrderItemRow[]): SupplierOrder {
  const unknown = items.filter((item) => item.product_external_id === null)
  if (unknown.length > 0) {
    const details = unknown.map(({ id, product_name }) => ({
      path: `items.${id}`,
      message: `${product_name} is no product of the supplier's`,
    }))
    throw conflict('NOT_A_SUPPLIER_PRODUCT', "The supplier doesn't have everything in the order", { details })
  }
  return {
    reference: String(order.id),
    customer: { name: order.customer_name, phone: order.customer_phone, email: order.customer_email },
    delivery: { method: order.delivery_method, address: order.delivery_address, cost: order.delivery_cost },
    comment: order.comment,
    items: items.flatMap(({ product_external_id: productExternalId, quantity, price_at_order: price }) =>
      productExternalId === null ? [] : [{ productExternalId, quantity, price }],
    ),
  }
}

type Recording = { durationMs: number; actor: UserRow; backorder: boolean }

async function record(
  tx: UnitOfWork,
  attempt: Attempt,
  answer: OrderAnswer,
  { durationMs, actor, backorder }: Recording,
): Promise<Order> {
  const order = await lockOrderRow(tx.db, attempt.orderId)
  if (order === undefined) throw notFound('order')
  const error = answer.outcome === 'ACCEPTED' ? null : answer.reason
  const { outcome, answer: response } = answer
  await finishAttempt(tx.db, attempt.id, { outcome, durationMs, response, error })
  // Not before the answer: the supplier's stock counts as read after the sending only if it was asked for later.
  const now = await databaseTime(tx.db)
  const changed = await applyAnswer(tx, order, attempt, answer, { actor, now, backorder })
  auditOrder(tx, actor, order.id, audited(order), audited(changed))
  return toOrder(changed, await listItems(tx.db, [order.id]), true)
}

const audited = ({ status, external_id }: OrderRow) => ({ status, externalId: external_id })

async function applyAnswer(
  tx: UnitOfWork,
  order: OrderRow,
  { sentBefore }: Attempt,
  answer: OrderAnswer,
  change: { actor: UserRow; now: Date; backorder: boolean },
): Promise<OrderRow> {
  if (answer.outcome === 'ACCEPTED') {
    const values = { external_id: answer.externalId, submit_error: null }
    return changeOrderStatus(tx, order, 'SENT', { ...change, values })
  }
  // Only after the lock's connection broke during the call: somebody else has decided meanwhile.
  if (!isOpen(order.status)) return order
  const sent_at = answer.outcome === 'REFUSED' ? sentBefore : change.now
  return changeOrderStatus(tx, order, 'ERROR', {
    ...change,
    values: { submit_error: answer.reason, sent_at },
  })
}

/** The supplier has answered: a database that is away for a moment must not make us forget it. */
async function persistently<T>(
  deps: SubmissionDeps,
  cutOff: AbortSignal,
  work: (tx: UnitOfWork) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + RECORD_MS
  for (;;) {
    try {
      return await write(deps, work)
    } catch (error) {
      if (error instanceof AppError || cutOff.aborted || performance.now() > deadline) throw error
      deps.log.warn({ err: error }, "the supplier's answer could not be recorded yet")
      await delay(RECORD_RETRY_MS)
    }
  }
}
