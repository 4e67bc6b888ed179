import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { availableOf, orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// docs/orders.md, "Editing".
let shop: TestShop
let admin: string
let manager: string
let managerId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
  const user = await createUser(shop, 'MANAGER', { name: 'Мария' })
  managerId = user.id
  manager = shop.app.signToken(user)
})
afterAll(() => shop.close())

const product = (input = {}) => createProduct(shop.deps.db, input)
const oneItem = async (quantity = 1, input = {}) => {
  const productId = await product(input)
  const order = await placeOrder(shop, [{ productId, quantity }])
  return { id: order.id, productId, itemId: order.items[0]?.id ?? 0 }
}
const patch = (path: string, body: unknown, token = manager) =>
  shop.call('PATCH', `/api/v1/admin/orders/${path}`, { token, body })
const setQuantity = (order: { id: number; itemId: number }, quantity: unknown) =>
  patch(`${order.id}/items/${order.itemId}`, { quantity })
const historyOf = async (id: number) => (await orderDetails(shop, admin, id)).history.slice(1)

async function audited(id: number) {
  return shop.deps.db
    .selectFrom('audit_log')
    .select(['before', 'after'])
    .where('entity', '=', 'ORDER')
    .where('entity_id', '=', String(id))
    .orderBy('id')
    .execute()
}

test('corrects customer data as it is read when an order is placed', async () => {
  const { id } = await oneItem()
  const answer = await patch(`${id}`, {
    customerName: ' Пётр\nИванов ',
    customerPhone: '8 900 000-00-01',
    customerEmail: ' petr@example.test ',
    deliveryMethod: 'Самовывоз',
    deliveryAddress: '',
    comment: ' после\nшести ',
    total: 1,
    userId: managerId,
  })
  const wanted = {
    customerName: 'Пётр Иванов',
    customerPhone: '8 900 000-00-01',
    customerEmail: 'petr@example.test',
    deliveryMethod: 'Самовывоз',
    deliveryAddress: null,
    comment: 'после\nшести',
  }
  expect([answer.status, answer.body]).toMatchObject([200, { ...wanted, userId: null, version: 2 }])
  const found = await shop.call('GET', '/api/v1/admin/orders?search=89000000001', { token: manager })
  expect(found.body).toMatchObject({ content: [{ id }] })
  expect((await patch(`${id}`, { customerEmail: null })).body).toMatchObject({ customerEmail: null })
})

test('keeps each correction in the history and in the audit log, and nothing where nothing differs', async () => {
  const { id } = await oneItem()
  await patch(`${id}`, { customerName: 'Ольга', status: 'PROCESSING' })
  await patch(`${id}`, { customerName: 'Ольга', comment: ' ' })
  await patch(`${id}/delivery-cost`, { deliveryCost: 300 })
  const by = { actorKind: 'USER', changedAt: expect.stringMatching(/Z$/), userId: managerId, userName: 'Мария' }
  const before = { customerName: 'Анна Ёлкина' }
  const same = { fromStatus: 'PROCESSING', toStatus: 'PROCESSING' }
  expect(await historyOf(id)).toEqual([
    { ...by, fromStatus: 'NEW', toStatus: 'PROCESSING', before, after: { customerName: 'Ольга' } },
    { ...by, ...same, before: { deliveryCost: 0 }, after: { deliveryCost: 300 } },
  ])
  expect(await audited(id)).toEqual([
    { before: { status: 'NEW', ...before }, after: { status: 'PROCESSING', customerName: 'Ольга' } },
    { before: { deliveryCost: 0 }, after: { deliveryCost: 300 } },
  ])
})

test.each([
  [{ customerName: ' ' }, 'customerName'],
  [{ customerName: null }, 'customerName'],
  [{ customerName: '\u0007' }, 'customerName'],
  [{ customerPhone: '1234' }, 'customerPhone'],
  [{ customerEmail: 'nobody' }, 'customerEmail'],
  [{ deliveryAddress: 'x'.repeat(501) }, 'deliveryAddress'],
  [{ comment: 5 }, 'comment'],
])('rejects the correction %j', async (body, path) => {
  const { id } = await oneItem()
  const answer = await patch(`${id}`, { ...body, status: 'PROCESSING' })
  expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path }] }])
  expect(await orderDetails(shop, admin, id)).toMatchObject({ status: 'NEW', version: 1 })
})

test('names every invalid field of a correction', async () => {
  const { id } = await oneItem()
  const { body } = await patch(`${id}`, { customerPhone: '1', customerEmail: 'nobody' })
  expect(body).toMatchObject({ details: [{ path: 'customerPhone' }, { path: 'customerEmail' }] })
})

test('changes a quantity at the price of the line, with reservation, history and audit', async () => {
  const order = await oneItem(2, { price: '10.00', stock: 10 })
  const { db } = shop.deps
  await db.updateTable('products').set({ price: null }).where('id', '=', order.productId).execute()
  const more = await setQuantity(order, 10)
  expect([more.status, more.body]).toMatchObject([
    200,
    { items: [{ id: order.itemId, priceAtOrder: 10, quantity: 10, lineTotal: 100 }], total: 100, version: 2 },
  ])
  expect(await availableOf(shop, order.productId)).toBe(0)
  expect((await setQuantity(order, 3)).body).toMatchObject({ total: 30, version: 3 })
  expect(await availableOf(shop, order.productId)).toBe(7)
  const item = { id: order.itemId, productId: order.productId, priceAtOrder: 10 }
  expect(await historyOf(order.id)).toMatchObject([
    {
      toStatus: 'NEW',
      before: { item: { ...item, quantity: 2 } },
      after: { item: { ...item, quantity: 10 } },
    },
    { toStatus: 'NEW', before: { item: { quantity: 10 } }, after: { item: { quantity: 3 } } },
  ])
  expect(await audited(order.id)).toMatchObject([
    { before: { item: { quantity: 2 } }, after: { item: { quantity: 10 } } },
    { before: { item: { quantity: 10 } }, after: { item: { quantity: 3 } } },
  ])
})

test('adds no more pieces than there are, unless backorders are allowed', async () => {
  const order = await oneItem(2, { stock: 5 })
  const refused = await setQuantity(order, 6)
  expect([refused.status, refused.body]).toMatchObject([
    409,
    {
      code: 'PRODUCT_UNAVAILABLE',
      details: [{ path: 'quantity', reason: 'NOT_ENOUGH', availableQuantity: 5 }],
    },
  ])
  await setSetting(shop, admin, 'order_allow_backorder', 'true')
  expect((await setQuantity(order, 6)).status).toBe(200)
  await setSetting(shop, admin, 'order_allow_backorder', 'false')
  expect((await setQuantity(order, 4)).status).toBe(200)
})

test('lets a line of a product that is gone shrink, not grow', async () => {
  const { db } = shop.deps
  const hidden = await oneItem(3)
  await db.updateTable('products').set({ active_override: false }).where('id', '=', hidden.productId).execute()
  const deleted = await oneItem(3)
  await shop.call('DELETE', `/api/v1/products/${deleted.productId}`, { token: admin })
  for (const order of [hidden, deleted]) {
    expect((await setQuantity(order, 4)).body).toMatchObject({ details: [{ reason: 'NOT_FOUND' }] })
    expect((await setQuantity(order, 2)).body).toMatchObject({ items: [{ quantity: 2 }] })
  }
})

test('a line whose reservation was released needs all of its pieces to grow', async () => {
  const order = await oneItem(2, { stock: 3 })
  await shop.deps.db.updateTable('order_items').set({ holding: false }).where('id', '=', order.itemId).execute()
  expect((await setQuantity(order, 4)).body).toMatchObject({ details: [{ availableQuantity: 3 }] })
  expect((await setQuantity(order, 3)).status).toBe(200)
})

test('two corrections at once never reserve more than there is', async () => {
  const productId = await product({ stock: 10 })
  const line = [{ productId, quantity: 1 }]
  const orders = await Promise.all(Array.from({ length: 4 }, () => placeOrder(shop, line)))
  const answers = await Promise.all(orders.map(({ id, items }) => setQuantity({ id, itemId: items[0]?.id ?? 0 }, 5)))
  // Four of the ten are taken; each correction needs four more.
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  expect(await availableOf(shop, productId)).toBe(2)
})

test.each([[0], [10_000], ['2'], [1.5], [null], [undefined]])('rejects the quantity %j', async (quantity) => {
  expect((await setQuantity(await oneItem(), quantity)).status).toBe(400)
})

test('rejects a total that cannot be stored, and lines of other orders', async () => {
  const order = await oneItem(1, { price: '9999999999.99' })
  const excessive = await setQuantity(order, 2)
  expect([excessive.status, excessive.body]).toMatchObject([400, { details: [{ path: 'quantity' }] }])
  const other = await oneItem()
  expect((await setQuantity({ id: order.id, itemId: other.itemId }, 1)).status).toBe(404)
  expect((await setQuantity({ id: order.id, itemId: 99_999_999_999 }, 1)).status).toBe(404)
})

test.each(['SENT', 'CANCELLED', 'COMPLETED', 'ARCHIVED'])(
  'keeps the quantities of a %s order, and corrects its customer',
  async (status) => {
    const order = await oneItem()
    await patch(`${order.id}`, { status })
    expect((await setQuantity(order, 2)).body).toMatchObject({ code: 'ORDER_NOT_EDITABLE' })
    const corrected = await patch(`${order.id}`, { customerName: 'Ольга' })
    expect((corrected.body as Order).customerName).toBe('Ольга')
  },
)

test('sorts by totals as they are after each change of the items', async () => {
  const { id: owner } = await createUser(shop, 'USER')
  const made = [await oneItem(2), await oneItem(2), await oneItem(2)] as const
  await shop.deps.db
    .updateTable('orders')
    .set({ user_id: owner })
    .where(
      'id',
      'in',
      made.map(({ id }) => id),
    )
    .execute()
  const [first, second, third] = made
  const byTotal = async () => {
    const { body } = await shop.call('GET', `/api/v1/admin/orders?userId=${owner}&sort=total`, {
      token: manager,
    })
    return (body as { content: Order[] }).content.map(({ id }) => id)
  }
  expect(await byTotal()).toEqual([first.id, second.id, third.id])
  await setQuantity(first, 4)
  expect(await byTotal()).toEqual([second.id, third.id, first.id])
  const path = `/api/v1/admin/orders/${second.id}/items`
  const added = await shop.call('POST', path, {
    token: admin,
    body: { productId: await product(), quantity: 1 },
  })
  expect([added.status, await byTotal()]).toEqual([201, [third.id, second.id, first.id]])
  const removed = await shop.call('DELETE', `${path}/${second.itemId}`, { token: admin })
  expect([removed.status, await byTotal()]).toEqual([200, [second.id, third.id, first.id]])
})
