import { createHash } from 'node:crypto'
import type { Trx } from '../../../db/database.ts'
import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import { claimKey, completeKey, deleteOldKeys } from '../../../db/queries/orders/idempotency.ts'
import { insertItems, listItems, type NewItem } from '../../../db/queries/orders/items.ts'
import { findOrder, insertOrder } from '../../../db/queries/orders/orders.ts'
import type { OrderItemRow, OrderRow } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict, invalid, notFound } from '../../errors.ts'
import { atLeast } from '../../rules/accounts/roles.ts'
import { decimalOfMinor, fitsMoney } from '../../rules/money.ts'
import {
  mergeLines,
  type PricedLine,
  priceLines,
  sumOfLines,
  type WantedLine,
} from '../../rules/orders/lines.ts'
import { orderMail } from '../../rules/orders/mail.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { oneLine } from '../../rules/text.ts'
import { throwIfRequestClosed } from '../../runtime/concurrency/bounded-queue.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { NewOrder, Order } from '../../schemas/orders.ts'
import { countSender, type SenderLimits, senderLimits } from '../accounts/sender-limits.ts'
import { settingValues } from '../settings/settings.ts'
import { allowsBackorder, lockOffers } from '../stock/offers.ts'
import { toOrder } from './json.ts'

type PlacingDeps = Pick<Deps, 'db' | 'log' | 'changes' | 'cached' | 'config' | 'orderQueue'>
type Placed = { row: OrderRow; items: OrderItemRow[]; isNew: boolean }

/** Who orders. */
export type Customer = {
  /** Null: an anonymous customer. */
  caller: UserRow | null
  /** Of the client. */
  address: string
  /** Aborted when the client closes the request. */
  signal: AbortSignal
}

/** What is ordered, checked and brought into the form in which it is kept. */
type Draft = {
  customer: Pick<
    OrderRow,
    'customer_name' | 'customer_phone' | 'customer_email' | 'delivery_method' | 'delivery_address' | 'comment'
  >
  lines: WantedLine[]
}

/**
 * Places an order at today's prices (contract section 5).
 * @param idempotencyKey a repeat with the same key and body within 24 hours answers the first order
 * @throws AppError 400; 409 PRODUCT_UNAVAILABLE with a detail per line; 409 IDEMPOTENCY_KEY_REUSED; 429 beyond a limit of
 *   the address or the phone; 503 when too many wait; 499 when the client closed the request
 */
export async function placeOrder(
  deps: PlacingDeps,
  customer: Customer,
  input: NewOrder,
  idempotencyKey: string | undefined,
): Promise<Order> {
  const { caller, signal } = customer
  const draft = readDraft(input)
  const key = idempotencyKey === undefined ? null : hash([caller?.id ?? 'anonymous', idempotencyKey])
  const settings = await settingValues(deps)
  const backorder = await allowsBackorder(deps)
  const byStaff = caller !== null && atLeast(caller.role, 'MANAGER')
  const { row, items, isNew } = await deps.orderQueue.run(
    () =>
      write(deps, async (tx) => {
        // Also after the wait for a connection.
        throwIfRequestClosed(signal)
        const earlier = key && (await findEarlier(tx.db, key, hash(draft)))
        if (earlier) return earlier
        if (!byStaff) await countSender(tx.db, limitsOf(settings, draft, customer))
        const placed = await place(tx, deps, customer, draft, { settings, backorder })
        if (key) await completeKey(tx.db, key, placed.row.id)
        return placed
      }),
    signal,
  )
  const order = toOrder(row, items, byStaff)
  if (isNew) {
    const about = { orderId: order.id, total: order.total, lines: items.length, anonymous: caller === null }
    deps.log.info(about, 'order placed')
  }
  return order
}

function limitsOf(settings: SettingValues, { customer }: Draft, { address }: Customer): SenderLimits {
  return senderLimits(settings, 'order', { phone: customer.customer_phone, address })
}

/** Keys older than a day mean nothing any more. */
export function purgeIdempotencyKeys({ db }: Pick<Deps, 'db'>): Promise<void> {
  return deleteOldKeys(db)
}

function readDraft(input: NewOrder): Draft {
  const { lines, problems } = mergeLines(input.items)
  const name = oneLine(input.customerName)
  const phone = oneLine(input.customerPhone)
  const email = line(input.customerEmail)
  // What consists of control characters looked like text to the schema.
  if (name === '') problems.push({ path: 'customerName', message: 'must not be empty' })
  if (phone.length < 3) problems.push({ path: 'customerPhone', message: 'must have at least 3 characters' })
  if (email !== null && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    problems.push({ path: 'customerEmail', message: 'must be an email address' })
  }
  if (problems.length > 0) throw invalid(...problems)
  const customer = {
    customer_name: name,
    customer_phone: phone,
    customer_email: email,
    delivery_method: line(input.deliveryMethod),
    delivery_address: line(input.deliveryAddress),
    comment: input.comment?.trim() || null,
  }
  return { customer, lines }
}

/** Line breaks in a name could pass for further lines of a mail or a list. */
function line(text: string | null | undefined): string | null {
  return oneLine(text ?? '') || null
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

async function findEarlier(trx: Trx, key: string, requestHash: string): Promise<Placed | null> {
  const earlier = await claimKey(trx, key, requestHash)
  if (earlier === null) return null
  if (earlier.request_hash !== requestHash) {
    throw conflict('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another order')
  }
  const row = earlier.order_id === null ? undefined : await findOrder(trx, earlier.order_id)
  if (row === undefined) throw notFound('order')
  return { row, items: await listItems(trx, [row.id]), isNew: false }
}

async function place(
  tx: UnitOfWork,
  { config }: Pick<Deps, 'config'>,
  { caller, signal }: Customer,
  { customer, lines }: Draft,
  { settings, backorder }: { settings: SettingValues; backorder: boolean },
): Promise<Placed> {
  const productIds = lines.map(({ productId }) => productId)
  const offers = await lockOffers(tx.db, productIds)
  // Others may have kept the products for long.
  throwIfRequestClosed(signal)
  const priced = priceLines(lines, offers, backorder)
  const total = sumOfLines(priced)
  if (!fitsMoney(total)) throw invalid({ path: 'items', message: 'cost more than an order can' })

  const placedBy = { user_id: caller?.id ?? null, user_name: caller?.name ?? null }
  const row = await insertOrder(tx.db, { ...customer, user_id: placedBy.user_id }, placedBy)
  const items = await insertItems(
    tx.db,
    row.id,
    priced.map((line) => toNewItem(line)),
  )
  if (settings.notification_email !== '') {
    const about = {
      total: decimalOfMinor(total),
      currency: settings.shop_currency,
      siteUrl: config.siteUrl,
    }
    await enqueueMail(tx.db, { recipient: settings.notification_email, ...orderMail(row, items, about) })
  }
  tx.recordChange('order', [row.id])
  tx.recordChange('stock', productIds)
  return { row, items, isNew: true }
}

/** A line as it is stored. */
export function toNewItem(line: PricedLine, holding = true): NewItem {
  return {
    product_id: line.productId,
    product_external_id: line.externalId,
    product_name: line.name,
    price_at_order: line.price,
    quantity: line.quantity,
    holding,
  }
}
