import type { OrderStatus } from '../../src/rules/orders/states.ts'
import type { Order, OrderDetails } from '../../src/schemas/orders.ts'
import type { TestShop } from './shop.ts'

type Line = { productId: number; quantity: number }
type Options = { token?: string; key?: string; fields?: Record<string, unknown> }

/** Sends an order with complete customer data; `fields` override it. */
export function sendOrder(shop: TestShop, items: unknown, { token, key, fields }: Options = {}) {
  return shop.call('POST', '/api/v1/orders', {
    ...(token === undefined ? {} : { token }),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    body: { customerName: 'Анна Ёлкина', customerPhone: '+7 (900) 123-45-67', items, ...fields },
  })
}

/** Places an order that must be accepted. @returns the order as its owner reads it later */
export async function placeOrder(shop: TestShop, items: Line[], options?: Options): Promise<Order> {
  const { trackingToken: _, ...order } = await placeTracked(shop, items, options)
  return order
}

/** Places an order that must be accepted. @returns also the token to follow it */
export async function placeTracked(
  shop: TestShop,
  items: Line[],
  options?: Options,
): Promise<Order & { trackingToken: string }> {
  const answer = await sendOrder(shop, items, options)
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`)
  return answer.body as Order & { trackingToken: string }
}

/** Inserts an order with a line for each of these products of the supplier. @returns its id */
export async function createSupplierOrder(
  { deps: { db } }: TestShop,
  status: OrderStatus = 'NEW',
  externalIds: (string | null)[] = ['p1', 'p2'],
): Promise<number> {
  const { id } = await db
    .insertInto('orders')
    .values({
      status,
      customer_name: 'Анна',
      customer_phone: '+7 900 000-00-00',
      delivery_method: 'courier',
      delivery_address: 'Тверь, Мира 1',
      delivery_cost: '300.10',
      comment: 'после шести',
      ...(status === 'SENT' ? { sent_at: new Date() } : {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const items = externalIds.map((externalId, index) => ({
    order_id: id,
    product_external_id: externalId,
    product_name: `Дрель ${index + 1}`,
    price_at_order: '100.50',
    quantity: 1,
  }))
  await db.insertInto('order_items').values(items).execute()
  return id
}

/** Begins to submit these orders, as another instance would. @returns a function that takes the attempts back */
export async function beginSubmissions({ deps: { db } }: TestShop, ...ids: number[]): Promise<() => Promise<void>> {
  const attempts = ids.map((id) => ({
    order_id: id,
    started_at: new Date(),
    request: '{}',
    outcome: 'UNCLEAR' as const,
  }))
  await db.insertInto('order_submit_attempts').values(attempts).execute()
  return async () => {
    await db.deleteFrom('order_submit_attempts').where('order_id', 'in', ids).execute()
  }
}

/** Gets an order as staff see it. */
export async function orderDetails(shop: TestShop, token: string, id: number): Promise<OrderDetails> {
  return (await shop.call('GET', `/api/v1/admin/orders/${id}`, { token })).body as OrderDetails
}

/** The available quantity of a product according to the cart. */
export async function availableOf(shop: TestShop, productId: number): Promise<number> {
  const answer = await shop.call('POST', '/api/v1/cart/validate', { body: [{ productId, quantity: 1 }] })
  return (answer.body as { items: { availableQuantity: number }[] }).items[0]?.availableQuantity ?? Number.NaN
}

/** Changes a setting through the API. */
export function setSetting(shop: TestShop, token: string, key: string, value: string) {
  return shop.call('PUT', `/api/v1/admin/config/${key}`, { token, body: { value } })
}
