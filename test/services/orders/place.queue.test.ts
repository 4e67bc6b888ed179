import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lockQuantities } from '../../../db/queries/stock/reservations.ts'
import { createBoundedQueue } from '../../../src/runtime/concurrency/bounded-queue.ts'
import { placeOrder as place } from '../../../src/services/orders/place.ts'
import { createUser } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { placeOrder, sendOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The line of those who place, and who leaves it. Everything else of a rush is in place.test.ts.
let shop: TestShop
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
})
afterAll(() => shop.close())
beforeEach(async () => {
  productId = await createProduct(shop.deps.db, { stock: 1000 })
})

/** Runs `work` while nobody can order the product. */
const keepingProduct = (work: () => Promise<void>) =>
  whileLocked(shop.deps.db, (trx) => lockQuantities(trx, [productId]), work)

async function names(): Promise<string[]> {
  const rows = await shop.deps.db
    .selectFrom('orders')
    .innerJoin('order_items', 'order_items.order_id', 'orders.id')
    .select('customer_name')
    .where('product_id', '=', productId)
    .orderBy('customer_name')
    .execute()
  return rows.map(({ customer_name }) => customer_name)
}

const line = () => [{ productId, quantity: 1 }]
const order = (customerName: string) => sendOrder(shop, line(), { fields: { customerName } })

/** A customer who orders over a connection of their own, and hangs up. */
async function orderAndLeave(customerName: string): Promise<{ leave(): Promise<void> }> {
  const body = JSON.stringify({ customerName, customerPhone: '+7 900 000-00-00', items: line() })
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const arrived = once(shop.app.server, 'request')
  socket.write(
    `POST /api/v1/orders HTTP/1.1\r\nhost: shop\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const [request]: { socket: Socket }[] = await arrived
  return {
    async leave() {
      socket.destroy()
      if (request && !request.socket.destroyed) await once(request.socket, 'close')
    },
  }
}

test('places no order whose request was closed while it waited', async () => {
  shop.deps.orderQueue = createBoundedQueue({ concurrency: 2, maxWaiting: 10, timeoutMs: 60_000 })
  const answers: ReturnType<typeof order>[] = []
  await keepingProduct(async () => {
    answers.push(order('first'))
    await untilWaiting(shop.deps.db, 1)
    const atTheLock = await orderAndLeave('left at the lock')
    await untilWaiting(shop.deps.db, 2)
    const inLine = await orderAndLeave('left in line')
    answers.push(order('last'))
    await inLine.leave()
    await atTheLock.leave()
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201, 201])
  // Whoever came after them has had a turn: so had they.
  await placeOrder(shop, line(), { fields: { customerName: 'later' } })
  await placeOrder(shop, line(), { fields: { customerName: 'later still' } })
  expect(await names()).toEqual(['first', 'last', 'later', 'later still'])
})

test('places no order whose request was closed before it was read', async () => {
  const signal = AbortSignal.abort()
  const input = { customerName: 'Анна', customerPhone: '+7 900 0', items: line() }
  const placing = place(shop.deps, { caller: null, customerId: null, address: '', signal }, input, undefined)
  await expect(placing).rejects.toMatchObject({ status: 499 })
  expect(await names()).toEqual([])
})

test('answers 503 with Retry-After when the queue is full or the wait times out', async () => {
  shop.deps.orderQueue = createBoundedQueue({ concurrency: 1, maxWaiting: 1, timeoutMs: 300 })
  const busy = { status: 503, body: { code: 'UNAVAILABLE' } }
  const answers: ReturnType<typeof order>[] = []
  await keepingProduct(async () => {
    answers.push(order('placed'))
    await untilWaiting(shop.deps.db, 1)
    const both = await Promise.all([order('waits too long'), order('finds it full')])
    for (const answer of both) {
      expect(answer).toMatchObject(busy)
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([201])
  expect(await names()).toEqual(['placed'])
})

test('logs a placed order without personal data, and no replay', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (text: string) => void lines.push(text) })
  const deps = { ...shop.deps, log }
  const user = await createUser(shop, 'USER')
  const input = { customerName: 'Тайная Анна', customerPhone: '+7 999 123-45-67', items: line() }
  const { signal } = new AbortController()
  const anonymous = { caller: null, customerId: null, address: '192.0.2.77', signal }
  const { id, total } = JSON.parse(await place(deps, anonymous, input, 'the-key'))
  await place(deps, anonymous, input, 'the-key')
  await place(deps, { ...anonymous, caller: user, customerId: user.id }, input, undefined)
  await place(deps, anonymous, { ...input, items: [{ productId, quantity: 9999 }] }, undefined).catch(() => {})
  const about = lines.map((text) => JSON.parse(text))
  expect(about).toMatchObject([
    { msg: 'order placed', level: 30, orderId: id, total, lines: 1, anonymous: true },
    { msg: 'order placed', anonymous: false },
  ])
  expect(lines.join()).not.toMatch(/Анна|123-45|192\.0\.2|the-key/)
})
