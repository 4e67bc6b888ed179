import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/schemas/orders.ts'
import { createUser, loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { availableOf, orderDetails, placeOrder, sendOrder, setSetting } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0', SITE_URL: 'https://shop.example' })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

const product = (input = {}) => createProduct(shop.deps.db, input)

test('places an anonymous order with current prices, snapshots, totals and history', async () => {
  const lamp = await product({ name: 'Лампа', price: '0.10', stock: 5 })
  const desk = await product({ name: 'Desk', price: '50.00', sitePrice: '19.99' })
  const items = [
    { productId: lamp, quantity: 3, price: 0.01, priceAtOrder: 0.01 },
    { productId: desk, quantity: 1 },
  ]
  const fields = {
    customerName: '  Анна\n Ёлкина ',
    customerEmail: 'anna@пример.рф',
    deliveryMethod: 'courier',
    deliveryAddress: '',
    comment: 'line one\nline two ',
    userId: 1,
    status: 'COMPLETED',
    total: 1,
    deliveryCost: 5,
    adminComment: 'x',
    externalId: 'x',
    id: 999,
  }
  const answer = await sendOrder(shop, items, { fields })
  expect(answer.status).toBe(201)
  const { trackingToken, ...order } = answer.body as Order & { trackingToken: string }
  expect(trackingToken).toMatch(/^[\w-]{43}$/)
  expect(order).toEqual({
    id: expect.any(Number),
    number: String(order.id).padStart(6, '0'),
    status: 'NEW',
    customerName: 'Анна Ёлкина',
    customerPhone: '+7 (900) 123-45-67',
    customerEmail: 'anna@пример.рф',
    deliveryMethod: 'courier',
    deliveryAddress: null,
    comment: 'line one\nline two',
    userId: null,
    externalId: null,
    deliveryCost: 0,
    itemsTotal: 20.29,
    total: 20.29,
    items: [
      {
        id: expect.any(Number),
        productId: lamp,
        productName: 'Лампа',
        priceAtOrder: 0.1,
        quantity: 3,
        lineTotal: 0.3,
      },
      {
        id: expect.any(Number),
        productId: desk,
        productName: 'Desk',
        priceAtOrder: 19.99,
        quantity: 1,
        lineTotal: 19.99,
      },
    ],
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  })
  const details = await orderDetails(shop, admin, order.id)
  expect(details).toMatchObject({
    ...order,
    adminComment: null,
    submitError: null,
    version: 1,
    submitAttempts: [],
    history: [
      {
        changedAt: order.createdAt,
        userId: null,
        userName: null,
        actorKind: 'CUSTOMER',
        fromStatus: null,
        toStatus: 'NEW',
        before: null,
        after: null,
      },
    ],
  })
})

test('assigns the order to the authenticated user and names them in the history', async () => {
  const user = await createUser(shop, 'USER', { name: 'Пётр' })
  const order = await placeOrder(shop, [{ productId: await product(), quantity: 1 }], {
    token: shop.app.signToken(user),
  })
  expect(order.userId).toBe(user.id)
  expect((await orderDetails(shop, admin, order.id)).history).toMatchObject([
    { userId: user.id, userName: 'Пётр', actorKind: 'USER', toStatus: 'NEW' },
  ])
})

test('names each unavailable product with its reason and quantity, and stores nothing', async () => {
  const good = await product()
  const inactive = await product({ supplierActive: false })
  const free = await product({ price: '0.00' })
  const unpriced = await product({ price: null })
  const few = await product({ stock: 2 })
  const none = await product({ stock: 0 })
  const ids = [good, inactive, free, unpriced, 2_147_483_647, few, none]
  const items = [...ids.map((productId) => ({ productId, quantity: 1 })), { productId: few, quantity: 2 }]
  const answer = await sendOrder(shop, items)
  expect(answer.status).toBe(409)
  expect(answer.body).toMatchObject({
    code: 'PRODUCT_UNAVAILABLE',
    details: [
      { path: 'items.1', message: 'This product is no longer sold' },
      { path: 'items.2', message: 'This product has no price at the moment' },
      { path: 'items.3', message: 'This product has no price at the moment' },
      { path: 'items.4', message: 'This product is no longer sold' },
      { path: 'items.5', message: 'Only 2 left in stock' },
      { path: 'items.6', message: 'This product is out of stock' },
    ],
  })
  expect(await availableOf(shop, good)).toBe(10)
})

test('reserves the ordered quantities at once for product, list, cart and the next order', async () => {
  const last = await product({ name: 'Единственный', stock: 3 })
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([last]) }])
  const card = async () =>
    (await shop.call('GET', `/api/v1/products/${last}`)).body as { available: boolean; stock: number }
  const listed = async () =>
    (
      (await shop.call('GET', '/api/v1/products?search=единственный')).body as {
        content: { available: boolean }[]
      }
    ).content[0]?.available
  expect([(await card()).available, await listed()]).toEqual([true, true])
  await placeOrder(shop, [{ productId: last, quantity: 2 }])
  expect(await availableOf(shop, last)).toBe(1)
  expect((await sendOrder(shop, [{ productId: last, quantity: 2 }])).status).toBe(409)
  await placeOrder(shop, [{ productId: last, quantity: 1 }])
  expect(await card()).toMatchObject({ available: false, stock: 3 })
  expect([await listed(), await availableOf(shop, last)]).toEqual([false, 0])
})

test('accepts backorders, and never shows an availability below zero', async () => {
  const none = await product({ stock: 1 })
  expect((await setSetting(shop, admin, 'order_allow_backorder', 'true')).status).toBe(200)
  await placeOrder(shop, [{ productId: none, quantity: 5 }])
  expect(await availableOf(shop, none)).toBe(0)
  await setSetting(shop, admin, 'order_allow_backorder', 'false')
  expect((await sendOrder(shop, [{ productId: none, quantity: 1 }])).body).toMatchObject({
    details: [{ message: 'This product is out of stock' }],
  })
})

test('computes exact totals, and rejects one beyond the limit with 400', async () => {
  const dear = await product({ price: '9999999999.99', stock: 9999 })
  const dime = await product({ price: '0.10', stock: 9999 })
  expect((await placeOrder(shop, [{ productId: dear, quantity: 1 }])).total).toBe(9_999_999_999.99)
  const items = [
    { productId: dear, quantity: 1 },
    { productId: dime, quantity: 1 },
  ]
  const answer = await sendOrder(shop, items)
  expect([answer.status, answer.body]).toMatchObject([400, { details: [{ path: 'items' }] }])
  expect((await sendOrder(shop, [{ productId: dear, quantity: 9998 }], { token: admin })).status).toBe(400)
  expect((await placeOrder(shop, [{ productId: dime, quantity: 3 }])).total).toBe(0.3)
})

test('keeps an order unchanged when its product or user changes or is deleted', async () => {
  const { db } = shop.deps
  const user = await createUser(shop, 'USER')
  const id = await product({ name: 'Before', price: '10.00' })
  const order = await placeOrder(shop, [{ productId: id, quantity: 2 }], { token: shop.app.signToken(user) })
  await db.updateTable('products').set({ name: 'After', price: '99.00' }).where('id', '=', id).execute()
  const { items, total } = order
  expect(await orderDetails(shop, admin, order.id)).toMatchObject({ id: order.id, items, total })
  await db.deleteFrom('products').where('id', '=', id).execute()
  expect((await shop.call('DELETE', `/api/v1/admin/users/${user.id}`, { token: admin })).status).toBe(204)
  const kept = await orderDetails(shop, admin, order.id)
  expect(kept.items).toEqual(items.map((item) => ({ ...item, productId: null, slug: null, imageUrl: null })))
  expect(kept.customer).toBeNull()
  expect([kept.total, kept.userId]).toEqual([20, null])
  expect(kept.history).toMatchObject([{ userId: null, userName: user.name }])
})

test('shows an order to its owner and staff, and responds 404 to others', async () => {
  const owner = await loginAs(shop, 'USER')
  const order = await placeOrder(shop, [{ productId: await product(), quantity: 1 }], { token: owner })
  const anonymous = await placeOrder(shop, [{ productId: await product(), quantity: 1 }])
  const read = async (id: number | string, token?: string) =>
    shop.call('GET', `/api/v1/orders/${id}`, token === undefined ? {} : { token })
  expect((await read(order.id, owner)).body).toEqual(order)
  expect(order).not.toHaveProperty('adminComment')
  expect(order).not.toHaveProperty('submitError')
  const manager = await loginAs(shop, 'MANAGER')
  expect((await read(order.id, manager)).body).toMatchObject({
    ...order,
    adminComment: null,
    submitError: null,
    version: 1,
  })
  expect((await read(order.id)).status).toBe(401)
  for (const role of ['USER', 'EDITOR'] as const) {
    const stranger = await loginAs(shop, role)
    expect((await read(order.id, stranger)).status).toBe(404)
    expect((await read(anonymous.id, stranger)).status).toBe(404)
  }
  expect((await read(2_147_483_647, owner)).status).toBe(404)
  expect((await read(99_999_999_999, owner)).status).toBe(404)
  expect((await read('abc', owner)).status).toBe(400)
})

test("lists the caller's own orders in pages, the newest first", async () => {
  const mine = await loginAs(shop, 'USER')
  const other = await loginAs(shop, 'USER')
  const id = await product({ stock: 100 })
  const ids: number[] = []
  for (let n = 0; n < 3; n++) {
    ids.push((await placeOrder(shop, [{ productId: id, quantity: 1 }], { token: mine })).id)
    await placeOrder(shop, [{ productId: id, quantity: 1 }], { token: n === 0 ? other : admin })
  }
  const answer = await shop.call('GET', '/api/v1/orders/my?size=2', { token: mine })
  expect(answer.body).toMatchObject({
    content: [{ id: ids[2], items: [{ productId: id }] }, { id: ids[1] }],
    totalElements: 3,
    totalPages: 2,
    number: 0,
    size: 2,
    first: true,
    last: false,
  })
  for (const member of ['adminComment', 'submitError', 'version']) expect(answer.text).not.toContain(member)
  const staffs = (await shop.call('GET', '/api/v1/orders/my?size=1', { token: admin })).body
  expect(staffs).toMatchObject({ content: [{ adminComment: null, submitError: null, version: 1 }] })
  expect((await shop.call('GET', '/api/v1/orders/my?sort=phone', { token: mine })).status).toBe(400)
  expect((await shop.call('GET', '/api/v1/orders/my?size=101', { token: mine })).status).toBe(400)
})

test('queues the notification mail in the transaction of the order', async () => {
  const { db } = shop.deps
  const id = await product({ name: 'Чайник', price: '1234.50', stock: 1 })
  await setSetting(shop, admin, 'notification_email', 'orders@shop.example')
  const order = await placeOrder(shop, [{ productId: id, quantity: 1 }])
  expect((await sendOrder(shop, [{ productId: id, quantity: 1 }])).status).toBe(409)
  await setSetting(shop, admin, 'notification_email', '')
  await placeOrder(shop, [{ productId: await product(), quantity: 1 }])
  const toStaff = db.selectFrom('mails').selectAll().where('recipient', '=', 'orders@shop.example')
  const mails = await toStaff.execute()
  expect(mails).toMatchObject([
    { recipient: 'orders@shop.example', subject: `Новый заказ № ${order.number}`, status: 'PENDING' },
  ])
  expect(mails[0]?.body.replaceAll('\u00a0', ' ')).toContain('1. Чайник — 1 × 1 234,50 ₽ = 1 234,50 ₽')
  expect(mails[0]?.body).toContain(`https://shop.example/admin/orders/${order.id}`)
})
