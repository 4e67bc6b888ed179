import { createHash } from 'node:crypto'
import type { Updateable } from 'kysely'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockOrder } from '../../../db/queries/orders/orders.ts'
import type { OrderTables } from '../../../db/tables/orders.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { availableOf, orderDetails, placeTracked } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let anna: UserRow
let annasToken: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  anna = await createUser(shop, 'USER')
  annasToken = shop.app.signToken(anna)
  productId = await createProduct(shop.deps.db, { stock: 1000 })
})
afterAll(() => shop.close())

const order = (token?: string, quantity = 1) =>
  placeTracked(shop, [{ productId, quantity }], { ...(token && { token }), fields: { comment: 'Секрет' } })
const track = (trackingToken: string) => shop.call('GET', `/api/v1/orders/track/${trackingToken}`)
const cancelByLink = (trackingToken: string) => shop.call('POST', `/api/v1/orders/track/${trackingToken}/cancel`)
const cancel = (id: number, token: string) => shop.call('POST', `/api/v1/orders/${id}/cancel`, { token })
const change = (id: number, values: Updateable<OrderTables['orders']>) =>
  shop.deps.db.updateTable('orders').set(values).where('id', '=', id).execute()
const setStatus = (id: number, status: string) =>
  shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status } })
const notCancellable = { status: 409, body: { code: 'ORDER_NOT_CANCELLABLE' } }

test('an order is tracked by its token, which reveals nothing personal but the name', async () => {
  const placed = await order()
  expect(placed.trackingToken).toMatch(/^[\w-]{43}$/)
  const answer = await track(placed.trackingToken)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const { number, status, customerName, items, itemsTotal, deliveryCost, total, createdAt, updatedAt } = placed
  const shown = { number, status, customerName, items, itemsTotal, deliveryCost, total, createdAt, updatedAt }
  expect([answer.status, answer.body]).toEqual([200, { ...shown, cancellable: true }])
  expect((await shop.call('GET', `/api/v1/orders/${placed.id}`, { token: admin })).text).not.toContain(
    placed.trackingToken,
  )
})

test('the database has the token as a hash, and encrypted', async () => {
  const { id, trackingToken } = await order()
  const row = await shop.deps.db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(row.tracking_hash).toEqual(createHash('sha256').update(trackingToken).digest())
  expect(row.tracking_sealed?.toString('latin1')).not.toContain(trackingToken)
  const { rows } = await sql<{ row: string }>`select to_json(orders)::text as row from orders`.execute(shop.deps.db)
  expect(rows.some((stored) => stored.row.includes(trackingToken))).toBe(false)
})

test.each(['x'.repeat(43), 'short', '1', '%00', `${'x'.repeat(42)}%2F`])('the token %s is unknown', async (token) => {
  expect((await track(token)).status).toBe(404)
  expect((await cancelByLink(token)).status).toBe(404)
})

test('a repeated request gets the same token, or none after a change of JWT_SECRET', async () => {
  const send = (at: TestShop) => placeTracked(at, [{ productId, quantity: 1 }], { key: 'the same' })
  const first = await send(shop)
  expect((await send(shop)).trackingToken).toBe(first.trackingToken)
  const { config } = shop.deps
  const secret = config.jwtSecret
  config.jwtSecret = 'cd'.repeat(32)
  try {
    expect(await send(shop)).not.toHaveProperty('trackingToken')
    expect((await track(first.trackingToken)).status).toBe(200)
  } finally {
    config.jwtSecret = secret
  }
})

test('the link cancels: the stock is free, and the history names the customer', async () => {
  const before = await availableOf(shop, productId)
  const placed = await order(undefined, 3)
  expect(await availableOf(shop, productId)).toBe(before - 3)
  const answer = await cancelByLink(placed.trackingToken)
  expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED', cancellable: false } })
  expect(await availableOf(shop, productId)).toBe(before)
  const { history } = await orderDetails(shop, admin, placed.id)
  const byCustomer = { userId: null, userName: placed.customerName, actorKind: 'CUSTOMER' }
  expect(history[1]).toMatchObject({ ...byCustomer, fromStatus: 'NEW', toStatus: 'CANCELLED' })
  expect(await cancelByLink(placed.trackingToken)).toMatchObject(notCancellable)
})

test('an owner of any role cancels; nobody else can', async () => {
  const own = await order(annasToken)
  expect((await cancel(own.id, await loginAs(shop, 'USER'))).status).toBe(404)
  expect((await cancel(own.id, admin)).status).toBe(404)
  expect((await shop.call('POST', `/api/v1/orders/${own.id}/cancel`)).status).toBe(401)
  expect((await cancel((await order()).id, annasToken)).status).toBe(404)
  expect((await cancel(2_000_000_000, annasToken)).status).toBe(404)
  const answer = await cancel(own.id, annasToken)
  expect([answer.status, answer.body]).toMatchObject([200, { id: own.id, status: 'CANCELLED' }])
  expect(answer.body).not.toHaveProperty('version')
  const { history } = await orderDetails(shop, admin, own.id)
  expect(history[1]).toMatchObject({ userId: anna.id, userName: anna.name, actorKind: 'USER', toStatus: 'CANCELLED' })

  const staffs = await order(admin)
  expect(await cancel(staffs.id, admin)).toMatchObject({ status: 200, body: { version: 2 } })
})

test.each(['PROCESSING', 'SENT', 'ERROR', 'CANCELLED', 'COMPLETED', 'ARCHIVED'] as const)(
  'an order that is %s is not cancelled',
  async (status) => {
    const placed = await order(annasToken)
    await change(placed.id, { status })
    expect(await cancel(placed.id, annasToken)).toMatchObject(notCancellable)
    expect(await cancelByLink(placed.trackingToken)).toMatchObject(notCancellable)
    expect((await track(placed.trackingToken)).body).toMatchObject({ status, cancellable: false })
  },
)

test('an order that the supplier may have is not cancelled', async () => {
  const { id, trackingToken } = await order()
  await change(id, { sent_at: new Date() })
  expect(await cancelByLink(trackingToken)).toMatchObject(notCancellable)
})

test('of customer and staff at once, the first one decides', async () => {
  for (const first of ['customer', 'staff']) {
    const { id, trackingToken } = await order()
    const [byCustomer, byStaff] = await whileLocked(
      shop.deps.db,
      (trx) => lockOrder(trx, id),
      async () => {
        const calls = [() => cancelByLink(trackingToken), () => setStatus(id, 'PROCESSING')]
        const [early, late] = first === 'customer' ? calls : calls.toReversed()
        const sent = [early?.()]
        await untilWaiting(shop.deps.db, 1)
        sent.push(late?.())
        await untilWaiting(shop.deps.db, 2)
        return first === 'customer' ? sent : sent.toReversed()
      },
    ).then((answers) => Promise.all(answers))
    expect(byStaff?.status).toBe(200)
    expect(byCustomer?.status).toBe(first === 'customer' ? 200 : 409)
    const { history } = await orderDetails(shop, admin, id)
    const steps = history.map(({ toStatus }) => toStatus)
    expect(steps).toEqual(first === 'customer' ? ['NEW', 'CANCELLED', 'PROCESSING'] : ['NEW', 'PROCESSING'])
  }
})

test('of two cancellations at once, one succeeds', async () => {
  const { id, trackingToken } = await order()
  const answers = await whileLocked(
    shop.deps.db,
    (trx) => lockOrder(trx, id),
    async () => {
      const sent = [cancelByLink(trackingToken), cancelByLink(trackingToken)]
      await untilWaiting(shop.deps.db, 2)
      return sent
    },
  ).then((sent) => Promise.all(sent))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect((await orderDetails(shop, admin, id)).history).toHaveLength(2)
})
