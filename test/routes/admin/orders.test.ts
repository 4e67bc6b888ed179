import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { availableOf, beginSubmissions, orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let admin: string
let manager: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  manager = await loginAs(shop, 'MANAGER')
})
afterAll(() => shop.close())

const product = (input = {}) => createProduct(shop.deps.db, input)
const order = async (input = {}) => placeOrder(shop, [{ productId: await product(input), quantity: 1 }])
const send = (method: string, path: string, body?: unknown, token = admin) =>
  shop.call(method, `/api/v1/admin/orders${path}`, { token, body })
const patch = (id: number, body: unknown) => send('PATCH', `/${id}`, body, manager)

async function audited(id: number) {
  const { db } = shop.deps
  return db
    .selectFrom('audit_log')
    .select(['action', 'before', 'after'])
    .where('entity', '=', 'ORDER')
    .where('entity_id', '=', String(id))
    .orderBy('id')
    .execute()
}

test('changes status and comment, and records the actor in history and audit', async () => {
  const user = await createUser(shop, 'MANAGER', { name: 'Мария' })
  const token = shop.app.signToken(user)
  const { id } = await order()
  const change = (body: unknown) => send('PATCH', `/${id}`, body, token)
  const both = await change({ status: 'PROCESSING', adminComment: ' call first ', deliveryCost: 5, total: 1 })
  expect([both.status, both.body]).toMatchObject([
    200,
    { status: 'PROCESSING', adminComment: 'call first', deliveryCost: 0 },
  ])
  expect((await change({ status: 'PROCESSING' })).status).toBe(200)
  expect((await change({ adminComment: '' })).body).toMatchObject({ adminComment: null })
  expect((await change({ adminComment: null })).status).toBe(200)
  const { history } = await orderDetails(shop, manager, id)
  const author = { actorKind: 'USER', changedAt: expect.stringMatching(/Z$/), userId: user.id, userName: 'Мария' }
  expect(history.slice(1)).toEqual([
    {
      ...author,
      fromStatus: 'NEW',
      toStatus: 'PROCESSING',
      before: { adminComment: null },
      after: { adminComment: 'call first' },
    },
    {
      ...author,
      fromStatus: 'PROCESSING',
      toStatus: 'PROCESSING',
      before: { adminComment: 'call first' },
      after: { adminComment: null },
    },
  ])
  expect(await audited(id)).toEqual([
    {
      action: 'UPDATE',
      before: { status: 'NEW', adminComment: null },
      after: { status: 'PROCESSING', adminComment: 'call first' },
    },
    { action: 'UPDATE', before: { adminComment: 'call first' }, after: { adminComment: null } },
  ])
})

test('allows every change of status', async () => {
  const { id } = await order()
  const states = ['NEW', 'PROCESSING', 'SENT', 'ERROR', 'CANCELLED', 'COMPLETED', 'ARCHIVED']
  // Each state to itself, to all behind it and back.
  const walk = states.flatMap((state, index) => [
    ...[state, state],
    ...states.slice(index + 1).flatMap((behind) => [behind, state]),
  ])
  for (const status of walk) {
    const answer = await patch(id, { status })
    expect([answer.status, answer.body]).toMatchObject([200, { status }])
  }
})

test.each([
  [{}],
  [{ status: 'LOST' }],
  [{ status: 'new' }],
  [{ status: null }],
  [{ status: 1 }],
  [{ adminComment: 5 }],
  [{ adminComment: 'x'.repeat(5001) }],
  [{ admin_comment: 'x' }],
  [null],
])('rejects the change %# with 400', async (body) => {
  const { id } = await order()
  expect((await patch(id, body)).status).toBe(400)
  expect(await orderDetails(shop, admin, id)).toMatchObject({ status: 'NEW', adminComment: null })
})

test('answers 404 for an unknown order on every route', async () => {
  const line = { productId: await product(), quantity: 1 }
  const requests: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { status: 'NEW' }],
    ['POST', '/items', line],
    ['PATCH', '/items/1', { quantity: 1 }],
    ['DELETE', '/items/1'],
    ['PATCH', '/delivery-cost', { deliveryCost: 1 }],
    ['DELETE', ''],
  ]
  for (const [method, path, body] of requests) {
    for (const id of ['2147483647', '99999999999']) {
      expect([method, path, (await send(method, `/${id}${path}`, body)).status]).toEqual([method, path, 404])
    }
  }
})

test('rejects changes and deletion while the order is being submitted', async () => {
  const placed = await placeOrder(shop, [
    { productId: await product(), quantity: 1 },
    { productId: await product(), quantity: 1 },
  ])
  const requests: [string, string, unknown?][] = [
    ['PATCH', '', { status: 'CANCELLED' }],
    ['POST', '/items', { productId: await product(), quantity: 1 }],
    ['PATCH', `/items/${placed.items[0]?.id}`, { quantity: 1 }],
    ['DELETE', `/items/${placed.items[0]?.id}`],
    ['PATCH', '/delivery-cost', { deliveryCost: 1 }],
    ['DELETE', ''],
  ]
  const endSubmission = await beginSubmissions(shop, placed.id)
  for (const [method, path, body] of requests) {
    const answer = await send(method, `/${placed.id}${path}`, body)
    expect([method, path, answer.status, answer.body]).toMatchObject([
      ...[method, path, 409],
      { code: 'ORDER_SUBMITTING' },
    ])
  }
  await endSubmission()
  expect((await send('GET', `/${placed.id}`)).body).toMatchObject({ status: 'NEW', total: placed.total })
  for (const [method, path, body] of requests.slice(1)) {
    expect((await send(method, `/${placed.id}${path}`, body)).status).toBeLessThan(300)
  }
})

test('adds items at the current price, removes items, and updates totals and reservations', async () => {
  const first = await product({ price: '10.00' })
  const placed = await placeOrder(shop, [{ productId: first, quantity: 2 }])
  await shop.deps.db.updateTable('products').set({ price: '0.15' }).where('id', '=', first).execute()
  const line = { productId: first, quantity: 3, priceAtOrder: 0.01 }
  const added = await send('POST', `/${placed.id}/items`, line, manager)
  expect([added.status, added.body]).toMatchObject([
    201,
    {
      items: [
        { priceAtOrder: 10, quantity: 2, lineTotal: 20 },
        { priceAtOrder: 0.15, quantity: 3, lineTotal: 0.45 },
      ],
      itemsTotal: 20.45,
      total: 20.45,
      adminComment: null,
    },
  ])
  expect(await availableOf(shop, first)).toBe(5)
  const [old, fresh] = (added.body as Order).items
  expect((await send('DELETE', `/${placed.id}/items/${old?.id}`)).status).toBe(200)
  expect(await availableOf(shop, first)).toBe(7)
  expect(await orderDetails(shop, admin, placed.id)).toMatchObject({ items: [fresh], total: 0.45 })
  const last = await send('DELETE', `/${placed.id}/items/${fresh?.id}`)
  expect([last.status, last.body]).toMatchObject([409, { code: 'LAST_ITEM' }])
  expect(await audited(placed.id)).toMatchObject([
    { before: { item: null }, after: { item: { id: fresh?.id, quantity: 3, priceAtOrder: 0.15 } } },
    { before: { item: { id: old?.id, quantity: 2 } }, after: { item: null } },
  ])
})

test('removes an item only from its own order and only for sufficient roles', async () => {
  const mine = await order()
  const other = await order()
  expect((await send('DELETE', `/${mine.id}/items/${other.items[0]?.id}`)).status).toBe(404)
  expect((await send('DELETE', `/${mine.id}/items/99999999999`)).status).toBe(404)
  expect((await send('DELETE', `/${mine.id}/items/${mine.items[0]?.id}`, undefined, manager)).status).toBe(403)
  expect((await send('DELETE', `/${mine.id}`, undefined, manager)).status).toBe(403)
})

test('does not add unavailable products', async () => {
  const { id } = await order()
  const scarce = await product({ stock: 2 })
  const add = (productId: number, quantity: number) => send('POST', `/${id}/items`, { productId, quantity })
  for (const productId of [2_147_483_647, await product({ price: null }), await product({ supplierActive: false })]) {
    expect((await add(productId, 1)).body).toMatchObject({ code: 'PRODUCT_UNAVAILABLE' })
  }
  expect((await add(scarce, 3)).body).toMatchObject({
    details: [{ path: 'productId', message: 'Only 2 left in stock' }],
  })
  await setSetting(shop, admin, 'order_allow_backorder', 'true')
  expect((await add(scarce, 3)).status).toBe(201)
  await setSetting(shop, admin, 'order_allow_backorder', 'false')
  for (const body of [{}, { productId: scarce }, { productId: scarce, quantity: 0 }, { productId: '1', quantity: 1 }]) {
    expect((await send('POST', `/${id}/items`, body)).status).toBe(400)
  }
})

test('limits an order to a hundred items', async () => {
  const items = []
  for (let n = 0; n < 99; n++) items.push({ productId: await product(), quantity: 1 })
  const { id } = await placeOrder(shop, items)
  const line = { productId: await product(), quantity: 1 }
  expect((await send('POST', `/${id}/items`, line)).status).toBe(201)
  const answer = await send('POST', `/${id}/items`, line)
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'TOO_MANY_ITEMS' }])
})

test.each(['SENT', 'CANCELLED', 'COMPLETED', 'ARCHIVED'])('does not change the items of a %s order', async (status) => {
  const productId = await product()
  const placed = await placeOrder(shop, [
    { productId, quantity: 1 },
    { productId: await product(), quantity: 1 },
  ])
  await patch(placed.id, { status })
  const added = await send('POST', `/${placed.id}/items`, { productId, quantity: 1 })
  const removed = await send('DELETE', `/${placed.id}/items/${placed.items[0]?.id}`)
  for (const answer of [added, removed]) {
    expect([answer.status, answer.body]).toMatchObject([409, { code: 'ORDER_NOT_EDITABLE' }])
  }
})

test.each([
  [['UNCLEAR'], 409],
  [['UNCLEAR', 'REFUSED'], 409],
  [['UNCLEAR', 'UNCLEAR', 'REFUSED'], 409],
  [['REFUSED'], 201],
] as const)('after submissions that ended %j, an item added answers %i', async (outcomes, status) => {
  const { id, items } = await order()
  const response = JSON.stringify({ status: 400, body: 'no' })
  const startedAt = new Date(Date.now() - 180_000)
  for (const outcome of outcomes) {
    const attempt = { order_id: id, started_at: startedAt, request: JSON.stringify({ reference: '1' }) }
    await shop.deps.db
      .insertInto('order_submit_attempts')
      .values({ ...attempt, outcome, ...(outcome === 'REFUSED' ? { response } : {}) })
      .execute()
  }
  const added = await send('POST', `/${id}/items`, { productId: await product(), quantity: 1 })
  expect(added.status).toBe(status)
  const changed = await send('PATCH', `/${id}/items/${items[0]?.id}`, { quantity: 1 })
  expect(changed.status).toBe(status === 201 ? 200 : 409)
  const removed = await send('DELETE', `/${id}/items/${items[0]?.id}`)
  expect(removed.status).toBe(status === 201 ? 200 : 409)
  if (status === 409) {
    for (const { body } of [added, changed, removed]) expect(body).toMatchObject({ code: 'SUBMIT_UNCLEAR' })
  }
  const { submitAttempts } = await orderDetails(shop, manager, id)
  expect(submitAttempts.map(({ outcome }) => outcome)).toEqual(outcomes)
  expect(submitAttempts[0]).toMatchObject({ durationMs: null, error: null, request: { reference: '1' } })
})

test('includes the delivery cost in the total', async () => {
  const { id } = await order({ price: '0.10' })
  const set = (deliveryCost: unknown) => send('PATCH', `/${id}/delivery-cost`, { deliveryCost }, manager)
  expect((await set(0.2)).body).toMatchObject({ deliveryCost: 0.2, itemsTotal: 0.1, total: 0.3 })
  expect((await set(9_999_999_999.89)).body).toMatchObject({ total: 9_999_999_999.99 })
  for (const cost of [9_999_999_999.9, 1e10, 1e300, -0.01, 0.005, 1e-7, '5', null, true, [5], undefined]) {
    expect([cost, (await set(cost)).status]).toEqual([cost, 400])
  }
  expect((await set(0)).body).toMatchObject({ deliveryCost: 0, total: 0.1 })
  expect(await audited(id)).toEqual([
    { action: 'UPDATE', before: { deliveryCost: 0 }, after: { deliveryCost: 0.2 } },
    { action: 'UPDATE', before: { deliveryCost: 0.2 }, after: { deliveryCost: 9_999_999_999.89 } },
    { action: 'UPDATE', before: { deliveryCost: 9_999_999_999.89 }, after: { deliveryCost: 0 } },
  ])
  const more = await send('POST', `/${id}/items`, {
    productId: await product({ price: '9999999999.99' }),
    quantity: 1,
  })
  expect(more.status).toBe(400)
})

test('deletes an order with all its records and releases its stock', async () => {
  const productId = await product({ stock: 1 })
  const { id } = await placeOrder(shop, [{ productId, quantity: 1 }])
  expect(await availableOf(shop, productId)).toBe(0)
  expect((await send('DELETE', `/${id}`)).status).toBe(204)
  expect((await send('GET', `/${id}`)).status).toBe(404)
  expect((await send('DELETE', `/${id}`)).status).toBe(404)
  expect(await availableOf(shop, productId)).toBe(1)
  expect(await audited(id)).toMatchObject([{ action: 'DELETE', before: { id, status: 'NEW' }, after: null }])
})
