import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockQuantities } from '../../../db/queries/stock/reservations.ts'
import { createBoundedQueue } from '../../../src/runtime/concurrency/bounded-queue.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, orderDetails, placeOrder, sendOrder as sendOnce } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// Races over real HTTP, on two instances that share a database.
let shop: TestShop
let second: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  second = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  // However slow the machine is.
  for (const { deps } of [shop, second]) {
    deps.orderQueue = createBoundedQueue({ concurrency: 4, maxWaiting: 1000, timeoutMs: 60_000 })
  }
})
afterAll(async () => {
  await second.close()
  await shop.close()
})

/** Repeats a 503: a new connection to the database may take longer than the shop waits for it on a busy machine. */
async function sendOrder(...order: Parameters<typeof sendOnce>): ReturnType<typeof sendOnce> {
  const answer = await sendOnce(...order)
  return answer.status === 503 ? sendOrder(...order) : answer
}

function count<T>(values: T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

test('sells exactly 10 pieces to 24 concurrent orders and names the reason to the others', async () => {
  const product = await createProduct(shop.deps.db, { stock: 10 })
  const answers = await Promise.all(
    Array.from({ length: 24 }, () => sendOrder(shop, [{ productId: product, quantity: 1 }])),
  )
  expect(count(answers.map(({ status }) => status))).toEqual(
    new Map([
      [201, 10],
      [409, 14],
    ]),
  )
  const refused = answers.filter(({ status }) => status === 409)
  for (const { body } of refused) {
    expect(body).toMatchObject({
      code: 'PRODUCT_UNAVAILABLE',
      details: [
        {
          path: 'items.0',
          message: 'This product is out of stock',
          reason: 'OUT_OF_STOCK',
          availableQuantity: 0,
        },
      ],
    })
  }
  expect(await availableOf(shop, product)).toBe(0)
})

test('never sells more than the last pieces, whatever the order of lines, on two instances', async () => {
  const products: number[] = []
  for (let n = 0; n < 6; n++) products.push(await createProduct(shop.deps.db, { stock: 8 }))
  const answers = await Promise.all(
    Array.from({ length: 36 }, (_, n) => {
      const lines = products.map((productId) => ({ productId, quantity: 1 }))
      return sendOrder(n % 2 ? shop : second, n % 3 ? lines : lines.toReversed())
    }),
  )
  expect(count(answers.map(({ status }) => status))).toEqual(
    new Map([
      [201, 8],
      [409, 28],
    ]),
  )
})

test('leaves connections to other requests while orders wait for a product', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 1000 })
  const waiting: ReturnType<typeof sendOrder>[] = []
  await whileLocked(
    shop.deps.db,
    (trx) => lockQuantities(trx, [productId]),
    async () => {
      for (let n = 0; n < 15; n++) waiting.push(sendOrder(shop, [{ productId, quantity: 1 }]))
      await untilWaiting(second.deps.db, 4)
      expect((await shop.call('GET', '/api/v1/admin/orders?size=1', { token: admin })).status).toBe(200)
    },
  )
  expect(count((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Map([[201, 15]]))
})

test('locks the products of an order by id, which prevents deadlocks', async () => {
  const products: number[] = []
  for (let n = 0; n < 20; n++) products.push(await createProduct(shop.deps.db))
  const [smaller, middle = 0] = [products.slice(0, 10), products[10]]
  // In no order, and certainly not in that of the ids.
  const lines = products.map((_, n) => ({ productId: products[(n * 7 + 13) % 20], quantity: 1 }))
  const held = sql<{ id: number }>`
    select objid::int as id from pg_locks
    where locktype = 'advisory' and classid = 7120021 and granted and objid <> ${middle}
      and database = (select oid from pg_database where datname = current_database())
    order by objid`
  const { order } = await whileLocked(
    shop.deps.db,
    (trx) => lockQuantities(trx, [middle]),
    async () => {
      const order = sendOrder(shop, lines)
      await untilWaiting(second.deps.db)
      expect((await held.execute(second.deps.db)).rows.map(({ id }) => id)).toEqual(smaller)
      return { order }
    },
  )
  expect((await order).status).toBe(201)
})

test('places one order for concurrent requests with one key', async () => {
  const product = await createProduct(shop.deps.db, { stock: 100 })
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      sendOrder(n % 2 ? shop : second, [{ productId: product, quantity: 1 }], { key: 'twins' }),
    ),
  )
  expect(count(answers.map(({ status }) => status))).toEqual(new Map([[201, 20]]))
  expect(new Set(answers.map(({ body }) => (body as { id: number }).id)).size).toBe(1)
  expect(await availableOf(shop, product)).toBe(99)
})

test('an item added by staff and an order placed meanwhile do not both get the last piece', async () => {
  const last = await createProduct(shop.deps.db, { stock: 1 })
  const other = await createProduct(shop.deps.db)
  const order = await placeOrder(shop, [{ productId: other, quantity: 1 }])
  const line = { productId: last, quantity: 1 }
  const requests = await whileLocked(
    shop.deps.db,
    (trx) => lockQuantities(trx, [last]),
    async () => {
      const sent = [
        shop.call('POST', `/api/v1/admin/orders/${order.id}/items`, { token: admin, body: line }),
        sendOrder(second, [line]),
      ]
      await untilWaiting(shop.deps.db, 2)
      return sent
    },
  )
  const statuses = (await Promise.all(requests)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([201, 409])
  expect(await availableOf(shop, last)).toBe(0)
})

test('serialises concurrent changes of an order into a history without gaps', async () => {
  const product = await createProduct(shop.deps.db)
  const { id } = await placeOrder(shop, [{ productId: product, quantity: 1 }])
  const states = ['PROCESSING', 'CANCELLED', 'NEW', 'COMPLETED', 'ERROR', 'ARCHIVED', 'SENT', 'PROCESSING']
  const answers = await Promise.all(
    states.map((status, n) =>
      (n % 2 ? shop : second).call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(states.map(() => 200))
  const { history, status } = await orderDetails(shop, admin, id)
  let before: string | null = null
  for (const entry of history) {
    expect(entry.fromStatus).toBe(before)
    before = entry.toStatus
  }
  expect(before).toBe(status)
})

test('lets one of several reopened orders reserve the last piece', async () => {
  const product = await createProduct(shop.deps.db, { stock: 1 })
  const ids: number[] = []
  for (let n = 0; n < 4; n++) {
    const { id } = await placeOrder(shop, [{ productId: product, quantity: 1 }])
    await shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status: 'CANCELLED' } })
    ids.push(id)
  }
  const answers = await Promise.all(
    ids.map((id, n) =>
      (n % 2 ? shop : second).call('PATCH', `/api/v1/admin/orders/${id}`, {
        token: admin,
        body: { status: 'NEW' },
      }),
    ),
  )
  expect(count(answers.map(({ status }) => status))).toEqual(
    new Map([
      [200, 1],
      [409, 3],
    ]),
  )
  expect(await availableOf(shop, product)).toBe(0)
})

test('refuses the order of an account that is deleted meanwhile', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db)
  const buyer = await createUser(shop, 'USER')
  const answer = await whileLocked(
    db,
    (trx) => lockQuantities(trx, [productId]),
    async () => {
      const sent = sendOrder(shop, [{ productId, quantity: 1 }], { token: shop.app.signToken(buyer) })
      await untilWaiting(db)
      expect((await shop.call('DELETE', `/api/v1/admin/users/${buyer.id}`, { token: admin })).status).toBe(204)
      return { sent }
    },
  )
  expect((await answer.sent).status).toBe(401)
})
