import { hash } from 'node:crypto'
import type { Trx } from '../../../db/database.ts'
import { violates } from '../../../db/errors.ts'
import { claimKey, completeKey } from '../../../db/queries/orders/idempotency-keys.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import { findOrder, insertOrder } from '../../../db/queries/orders/orders.ts'
import { lockOffers } from '../../../db/queries/stock/reservations.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { Deps } from '../../deps.ts'
import { AppError, conflict, invalid, missingRecord, unauthorized } from '../../errors.ts'
import { emailOrNull } from '../../rules/accounts/credentials.ts'
import { type Actor, atLeast } from '../../rules/accounts/roles.ts'
import { decimalOfMinor, toAmount } from '../../rules/money.ts'
import { chosenMethod, deliveryCostOf } from '../../rules/orders/delivery.ts'
import { checkTotal, mergeLines, priceLines, sumOfLines } from '../../rules/orders/lines.ts'
import { MAX_QUANTITY } from '../../rules/stock/pricing.ts'
import { lineOrNull, oneLine, textOrNull } from '../../rules/text.ts'
import { throwIfRequestClosed } from '../../runtime/concurrency/bounded-queue.ts'
import { hashToken, newToken, seal } from '../../runtime/secrets.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { type NewOrder, PlacedOrder, StaffPlacedOrder } from '../../schemas/orders.ts'
import { serialize } from '../../schemas/serialization.ts'
import { countSender } from '../accounts/rate-limits.ts'
import { checkConsent, requireConsent, storeConsent } from '../privacy/consents.ts'
import { allowsBackorder } from '../stock/reservations.ts'
import { kindOf } from './changes.ts'
import { orderForStaff, toOrder } from './json.ts'
import { mailNewOrder } from './mails.ts'
import { type OrderContext, orderContext, trackingTokenOf } from './orders.ts'

export type StoredOrder = { row: OrderRow; items: OrderItemRow[] }

type Client = {
  /** Null for anonymous customers. */
  caller: Actor | null
  /** The account that the order will belong to: the caller's, unless staff place it for a customer. */
  customerId: number | null
  /** Address of the client. */
  address: string
  /** Aborted when the client closes the request. */
  signal: AbortSignal
}

/**
 * Places an order at today's prices (docs/orders.md).
 * @param idempotencyKey repeating it with the same body within 24 hours returns the first order
 * @returns the JSON of the order
 * @throws AppError 400, also for an unknown customer; 401 when the account was deleted meanwhile; 409 PRODUCT_UNAVAILABLE with a detail per line; 409
 *   IDEMPOTENCY_KEY_REUSED; 429 beyond a limit of the address or the phone; 503 when the queue is full
 */
export async function placeOrder(
  deps: Deps,
  client: Client,
  input: NewOrder,
  idempotencyKey: string | undefined,
): Promise<string> {
  const { caller, customerId, address, signal } = client
  const draft = readDraft(input)
  // Names the caller, as two may send one key. Must not change: a repeat after an upgrade would order twice.
  const callerKey = caller === null ? 'anonymous' : (caller.id ?? `key ${caller.name}`)
  const isOwn = customerId === (caller?.id ?? null)
  const key = idempotencyKey !== undefined && {
    hash: hashJson([callerKey, idempotencyKey]),
    requestHash: hashJson(isOwn ? draft : { ...draft, customerId }),
  }
  const sender = { phone: draft.customer.customer_phone, address }
  const context = await orderContext(deps)
  const byStaff = ordersForOthers(caller)

  // Staff can't agree on behalf of a customer.
  const consent = byStaff ? undefined : input.consent
  if (!byStaff) requireConsent(context.settings, consent)

  const placeInTransaction = () =>
    write(deps, async (tx) => {
      const earlier = key && (await findEarlierOrder(tx.db, key.hash, key.requestHash))
      if (earlier) return { ...earlier, token: trackingTokenOf(earlier.row, deps.config.jwtSecret), isNew: false }
      if (!byStaff) await countSender(tx.db, context.settings, 'order', sender)
      const max = byStaff ? MAX_QUANTITY : Number(context.settings.order_max_quantity)
      const stored = await storeOrder(tx, draft, client, { ...context, max })
      const { customer_email: email, customer_phone: phone } = draft.customer
      await storeConsent(tx.db, context.settings, { consent, kind: 'ORDER', email: email ?? null, phone, address })
      if (key) await completeKey(tx.db, key.hash, stored.row.id)
      return { ...stored, isNew: true }
    })
  const { row, items, token, isNew } = await deps.orderQueue.run(placeInTransaction, signal).catch((error: unknown) => {
    deps.metrics.ordersRefused.inc({ code: error instanceof AppError ? error.code : 'INTERNAL' })
    throw error
  })

  if (isNew) {
    const fields = { orderId: row.id, total: toAmount(row.total), lines: items.length, anonymous: caller === null }
    deps.metrics.ordersPlaced.inc()
    deps.log.info(fields, 'order placed')
  }
  const tracking = token === null ? {} : { trackingToken: token }
  return byStaff
    ? serialize(StaffPlacedOrder, { ...(await orderForStaff(deps.db, row)), ...tracking })
    : serialize(PlacedOrder, { ...toOrder(row, items), ...tracking })
}

/** Staff who order for customers; the orders of an EDITOR are a customer's. */
function ordersForOthers(caller: Actor | null): caller is Actor {
  return caller !== null && atLeast(caller.role, 'MANAGER')
}

/** Finds a missing consent. @throws AppError 400 */
export async function checkNewOrder(deps: Deps, input: Partial<NewOrder>, caller: Actor | null): Promise<void> {
  if (!ordersForOthers(caller)) await checkConsent(deps, input)
}

type Draft = ReturnType<typeof readDraft>

/** An order as it will be stored. Keys of repeated requests keep a hash of its JSON: the order of the members must not change. */
function readDraft(input: NewOrder) {
  const customer = {
    customer_name: oneLine(input.customerName),
    customer_phone: oneLine(input.customerPhone),
    customer_email: emailOrNull(input.customerEmail),
    delivery_method: lineOrNull(input.deliveryMethod),
    delivery_address: lineOrNull(input.deliveryAddress),
    comment: textOrNull(input.comment),
  }
  return { customer, lines: mergeLines(input.items) }
}

function hashJson(value: unknown): string {
  return hash('sha256', JSON.stringify(value))
}

async function findEarlierOrder(trx: Trx, key: string, requestHash: string): Promise<StoredOrder | null> {
  const earlier = await claimKey(trx, key, requestHash)
  if (earlier === null) return null
  const { request_hash, order_id } = earlier
  const row = request_hash === requestHash && order_id !== null && (await findOrder(trx, order_id))
  if (!row) {
    throw conflict('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for an order that differs or was deleted')
  }
  return { row, items: await listItems(trx, row.id) }
}

async function storeOrder(
  tx: UnitOfWork,
  { customer, lines }: Draft,
  { caller, customerId, signal }: Client,
  context: OrderContext & { max: number },
): Promise<StoredOrder & { token: string }> {
  const method = chosenMethod(context.settings.delivery_methods, customer.delivery_method)
  const productIds = lines.map(({ productId }) => productId)
  const offers = await lockOffers(tx.db, productIds)
  // The wait for a connection and the locks may have been long.
  throwIfRequestClosed(signal)
  const priced = priceLines(lines, offers, { backorder: allowsBackorder(context.settings), max: context.max })
  const total = sumOfLines(priced)
  const deliveryCost = decimalOfMinor(deliveryCostOf(method, total))
  checkTotal('items', total, deliveryCost)

  const placedBy = {
    placer_id: caller?.id ?? null,
    user_name: caller?.name ?? null,
    actor_kind: kindOf(caller),
  } as const
  const token = newToken()
  const { customer_email = null, delivery_method = null, delivery_address = null, comment = null } = customer
  const optional = { customer_email, delivery_method, delivery_address, comment }
  const values = {
    ...customer,
    ...optional,
    user_id: customerId,
    items_total: decimalOfMinor(total),
    delivery_cost: deliveryCost,
    tracking_hash: hashToken(token),
    tracking_sealed: seal(context.config.jwtSecret, token),
  }
  const { row, items } = await insertOrder(tx.db, values, priced, placedBy).catch((error: unknown) => {
    if (!violates(error, 'orders_user_id_fkey')) throw error
    throw customerId === placedBy.placer_id ? unauthorized() : invalid(missingRecord('customerId'))
  })
  await mailNewOrder(tx, context, row, items, token)
  tx.recordChange('orderCreated', [row.id], (db) => orderForStaff(db, row))
  tx.recordChange('stock', productIds)
  return { row, items, token }
}
