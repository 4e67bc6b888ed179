import { randomUUID } from 'node:crypto'
import { accepted } from '../client.ts'
import type { Finding } from '../patience.ts'
import type { World } from '../world.ts'
import type { Flow } from './index.ts'

type Order = { id: number; status: string; externalId: string | null }

/** Of products that never sell out. */
const QUANTITY = 2

async function newOrder({ db, call }: World) {
  const products = await db
    .selectFrom('products')
    .select('id')
    .where('active', '=', true)
    .where('final_price', '>', '0')
    .where('stock', '>', 10_000)
    .orderBy('id')
    .limit(2)
    .execute()
  const customerName = `Customer ${randomUUID()}`
  const body = {
    customerName,
    customerPhone: '+7 900 123-45-67',
    items: products.map(({ id: productId }) => ({ productId, quantity: QUANTITY })),
  }
  const headers = { 'idempotency-key': randomUUID() }
  return {
    customerName,
    place: async () => accepted<Order>(await call('POST', '/api/v1/orders', { token: undefined, body, headers }), 201),
  }
}

async function checkOrder({ db }: World, customerName: string, confirmed: number[]): Promise<Finding[]> {
  const rows = await db
    .selectFrom('orders')
    .innerJoin('order_items', 'order_items.order_id', 'orders.id')
    .select((eb) => ['orders.id', eb.fn.sum<string>('quantity').as('quantity')])
    .where('customer_name', '=', customerName)
    .groupBy('orders.id')
    .execute()
  const found: Finding[] = []
  if (rows.length === 0) found.push({ kind: 'lost', what: `order ${confirmed}` })
  if (rows.length > 1) found.push({ kind: 'doubled', what: `order ${rows.map(({ id }) => id)}` })
  if (confirmed.some((id) => id !== rows[0]?.id))
    found.push({ kind: 'doubled', what: `confirmed as ${confirmed}, stored as ${rows[0]?.id}` })
  if (rows[0] && Number(rows[0].quantity) !== 2 * QUANTITY)
    found.push({ kind: 'wrong', what: `order ${rows[0].id} has ${rows[0].quantity} pieces` })
  return found
}

/** Places an order and repeats the request with the same Idempotency-Key. */
export const placeOrder: Flow = {
  name: 'order',
  world: {},
  async prepare(world) {
    const { customerName, place } = await newOrder(world)
    const confirmed: number[] = []
    return {
      async act() {
        for (let times = 0; times < 2; times++) confirmed.push((await place()).id)
      },
      check: () => checkOrder(world, customerName, confirmed),
    }
  },
}

/** Submits an order to the supplier. */
export const submitOrder: Flow = {
  name: 'submit',
  world: {},
  async prepare(world) {
    const { customerName, place } = await newOrder(world)
    const { id } = await place()
    return {
      async act() {
        const answer = await world.call('POST', `/api/v1/admin/orders/${id}/submit`)
        if (answer.status !== 409) {
          const { status } = accepted<Order>(answer, 200)
          if (status !== 'SENT') throw new Error(`The order is ${status}`)
        }
        const details = await world.call('GET', `/api/v1/admin/orders/${id}`)
        const { status } = accepted<Order>(details, 200)
        if (status !== 'SENT') throw new Error(`The order is ${status}`)
      },
      async check() {
        const found = await checkOrder(world, customerName, [id])
        const received = world.supplier.orders.filter(({ reference }) => reference === String(id))
        if (received.length > 1) found.push({ kind: 'doubled', what: `supplier's orders of ${id}` })
        const stored = await world.db
          .selectFrom('orders')
          .select(['status', 'external_id'])
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (received[0] === undefined || stored.external_id !== received[0].id)
          found.push({
            kind: 'lost',
            what: `supplier's order ${received[0]?.id}, ours ${stored.external_id}`,
          })
        return found
      },
    }
  },
}
