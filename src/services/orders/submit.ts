import { listItems } from '../../../db/queries/orders/items.ts'
import * as queries from '../../../db/queries/orders/orders.ts'
import { finishAttempt, insertAttempt, listSubmitAttempts } from '../../../db/queries/orders/submit-attempts.ts'
import { databaseTime } from '../../../db/queries/stock/reservations.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import type { Fault } from '../../rules/faults/sentences.ts'
import { isOpen } from '../../rules/orders/states.ts'
import type { OrderAnswer, SupplierOrder } from '../../rules/supplier/records.ts'
import type { Target } from '../../rules/versions.ts'
import { storeOutcome } from '../../runtime/retries.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { StaffOrder } from '../../schemas/orders.ts'
import { allowsBackorder, reserveLines } from '../stock/reservations.ts'
import { changeOrderStatus, lockOrder } from './changes.ts'
import { orderForStaff } from './json.ts'
import { type OrderContext, orderContext } from './orders.ts'

/** Time for calls in flight at shutdown, which takes ten seconds at most. */
const SHUTDOWN_GRACE_MS = 6000
/** Includes the wait for the supplier's pause. Nothing may be sent after the minute that an attempt holds off changes. */
const MAX_CALL_MS = 45_000

/**
 * Sends an order to the supplier, unless he has accepted it before (docs/orders.md).
 * @returns the order as staff see it, SENT or ERROR; as it is if it was accepted before
 * @throws AppError 404; 409 ORDER_SUBMITTING, ORDER_NOT_SUBMITTABLE, NOT_A_SUPPLIER_PRODUCT, or PRODUCT_UNAVAILABLE when
 *   its reservation was released and the stock is gone; 412 STALE; 503 during shutdown
 */
export function submitOrder(deps: Deps, actor: Actor, target: Target): Promise<StaffOrder> {
  return deps.tasks.run((signal) => submitNow(deps, actor, target, signal), SHUTDOWN_GRACE_MS)
}

/**
 * Calls the supplier outside of any transaction. After a crash at any point the order can be submitted again, since
 * the supplier recognises its reference.
 */
async function submitNow(deps: Deps, actor: Actor, target: Target, signal: AbortSignal): Promise<StaffOrder> {
  const { log, supplier } = deps
  const context = await orderContext(deps)
  // Starts before the attempt, whose transaction may wait for locks.
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(MAX_CALL_MS)])
  const attempt = await write(deps, (tx) => startAttempt(tx, supplier, target, context))
  if ('accepted' in attempt) return attempt.accepted
  const started = performance.now()
  const answer = await supplier.createOrder(attempt.body, inTime)
  const durationMs = Math.round(performance.now() - started)
  const fields = { orderId: target.id, durationMs, outcome: answer.outcome, status: answer.answer?.status }
  deps.metrics.ordersSubmitted.inc({ result: answer.outcome.toLowerCase() })
  if (answer.outcome === 'ACCEPTED') log.info({ ...fields, externalId: answer.externalId }, 'order submitted')
  // The text of an answer may quote the customer.
  else log.warn({ ...fields, reason: answer.answer === null ? answer.reason : undefined }, 'order submission failed')
  const store = () => write(deps, (tx) => storeAnswer(tx, attempt, answer, durationMs, { author: actor, context }))
  return storeOutcome(store, signal, (err) =>
    log.warn({ err, orderId: target.id }, 'answer of the supplier not stored'),
  )
}

type Attempt = { id: number; orderId: number; sentBefore: Date | null; body: { [key: string]: unknown } }

async function startAttempt(
  tx: UnitOfWork,
  supplier: Deps['supplier'],
  target: Target,
  { settings }: OrderContext,
): Promise<Attempt | { accepted: StaffOrder }> {
  const { id: orderId } = target
  const order = await lockOrder(tx.db, target)
  // The supplier may have forgotten the reference, and would make a second order.
  if (order.external_id !== null) return { accepted: await orderForStaff(tx.db, order) }
  // Nothing can be delivered to an erased customer.
  if (!isOpen(order.status) || order.customer_phone === null) {
    const state = order.customer_phone === null ? 'without a customer' : order.status
    throw conflict('ORDER_NOT_SUBMITTABLE', `An order that is ${state} can't be submitted`)
  }
  const items = await listItems(tx.db, orderId)
  const body = supplier.orderBody(toSupplierOrder(order, order.customer_phone, items))
  await reserveLines(tx, orderId, items, { wasOpen: true, backorder: allowsBackorder(settings) })
  const id = await insertAttempt(tx.db, {
    order_id: orderId,
    started_at: await databaseTime(tx.db),
    request: JSON.stringify(body),
    // It remains so after a crash.
    outcome: 'UNCLEAR',
    error: 'In progress, or interrupted by a crash',
  })
  // From here on the supplier may have the order, even if no answer arrives.
  await queries.markSent(tx.db, orderId)
  return { id, orderId, sentBefore: order.sent_at, body }
}

/** @throws AppError 409 NOT_A_SUPPLIER_PRODUCT with a fault per line */
function toSupplierOrder(order: OrderRow, phone: string, items: OrderItemRow[]): SupplierOrder {
  const unknown = items.filter((item) => item.product_external_id === null)
  if (unknown.length > 0) {
    const faults = unknown.map(
      ({ id, product_name: name }): Fault => ({ path: `items.${id}`, code: 'NOT_OF_SUPPLIER', params: { name } }),
    )
    throw conflict('NOT_A_SUPPLIER_PRODUCT', 'The supplier does not have all products of the order', { faults })
  }
  return {
    reference: String(order.id),
    customer: { name: order.customer_name, phone, email: order.customer_email },
    delivery: { method: order.delivery_method, address: order.delivery_address, cost: order.delivery_cost },
    comment: order.comment,
    items: items.flatMap(({ product_external_id: productExternalId, quantity, price_at_order: price }) =>
      productExternalId === null ? [] : [{ productExternalId, quantity, price }],
    ),
  }
}

async function storeAnswer(
  tx: UnitOfWork,
  attempt: Attempt,
  answer: OrderAnswer,
  durationMs: number,
  change: { author: Actor; context: OrderContext },
): Promise<StaffOrder> {
  const order = found(await queries.lockOrder(tx.db, attempt.orderId), 'order')
  const error = answer.outcome === 'ACCEPTED' ? null : answer.reason
  const { outcome } = answer
  const response = answer.answer && JSON.stringify(answer.answer)
  await finishAttempt(tx.db, attempt.id, { outcome, duration_ms: durationMs, error, response })
  const newest = (await listSubmitAttempts(tx.db, order.id)).at(-1)
  let after = order
  if (outcome === 'ACCEPTED') {
    // An attempt that was taken for dead may be accepted after its successor.
    const values = { external_id: order.external_id ?? answer.externalId, submit_error: null }
    // If the call took very long, staff may have changed the order meanwhile.
    const status = isOpen(order.status) ? 'SENT' : order.status
    after = await changeOrderStatus(tx, order, status, { ...change, values })
  } else if (isOpen(order.status) && newest?.id === attempt.id) {
    // Not if staff changed the order meanwhile, or if it is being submitted again, since that outcome counts then.
    if (outcome === 'UNCLEAR') await queries.markSent(tx.db, order.id)
    const values = { submit_error: error, ...(outcome === 'REFUSED' && { sent_at: attempt.sentBefore }) }
    after = await changeOrderStatus(tx, order, 'ERROR', { ...change, values })
  }
  return orderForStaff(tx.db, after)
}
