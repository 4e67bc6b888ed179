import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserRow } from '../../../db/tables/users.ts'
import type { StaffOrder } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { imageForm, newImage } from '../../support/images.ts'
import { beginSubmissions, createSupplierOrder, orderDetails, placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// docs/orders.md, "Placing" and "Editing".
const ORDERS = '/api/v1/admin/orders'

let shop: TestShop
let admin: string
let manager: UserRow
let token: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
  manager = await createUser(shop, 'MANAGER', { name: 'Мария' })
  token = shop.app.signToken(manager)
})
afterAll(() => shop.close())

const product = () => createProduct(shop.deps.db, { stock: 9999 })
const read = async (id: number) => (await shop.call('GET', `/api/v1/orders/${id}`, { token })).body as StaffOrder

async function place(fields: Record<string, unknown>, headers = {}) {
  const items = [{ productId: await product(), quantity: 30 }]
  const body = { customerName: 'Анна', customerPhone: '+7 900 123-45-67', items, ...fields }
  return shop.call('POST', ORDERS, { token, body, headers })
}

test('staff place an order for a customer, who sees it; its history names the staff member', async () => {
  const customer = await createUser(shop, 'USER', { name: 'Анна Ёлкина' })
  const answer = await place({ customerId: customer.id })
  expect(answer).toMatchObject({
    status: 201,
    body: {
      userId: customer.id,
      customer: { id: customer.id, name: 'Анна Ёлкина', email: customer.email },
      trackingToken: expect.any(String),
    },
  })
  const { id } = answer.body as StaffOrder
  const mine = await shop.call('GET', '/api/v1/orders/my', { token: shop.app.signToken(customer) })
  expect(mine.body).toMatchObject({ content: [{ id, userId: customer.id }] })
  const { history } = await orderDetails(shop, admin, id)
  expect(history).toMatchObject([{ userId: manager.id, userName: 'Мария', actorKind: 'USER', toStatus: 'NEW' }])
})

test('staff place any number of orders of a customer without an account, in any quantity', async () => {
  await setSetting(shop, admin, 'order_limit_per_phone', '1')
  for (const customerId of [null, undefined]) {
    const answer = await place({ customerId })
    expect(answer).toMatchObject({ status: 201, body: { userId: null, customer: null } })
  }
  await setSetting(shop, admin, 'order_limit_per_phone', '0')
})

test('refuses an unknown customer, naming the field', async () => {
  const answer = await place({ customerId: 2_147_483_647 })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path: 'customerId' }] } })
})

test('a repeat with the key of the order places no second one, and another customer is a conflict', async () => {
  const { id: customerId } = await createUser(shop, 'USER')
  const items = [{ productId: await product(), quantity: 1 }]
  const headers = { 'idempotency-key': 'by phone' }
  const first = await place({ items, customerId }, headers)
  const again = await place({ items, customerId }, headers)
  expect(again.body).toEqual(first.body)
  expect(await place({ items }, headers)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_KEY_REUSED' } })
})

test('a customer may not choose the account of an order', async () => {
  const items = [{ productId: await product(), quantity: 1 }]
  expect(await placeOrder(shop, items, { fields: { customerId: manager.id } })).toMatchObject({ userId: null })
})

test('lines have slug and main image of their product', async () => {
  const productId = await product()
  const uploaded = await shop.call('POST', '/api/v1/images', { token, form: imageForm(await newImage()) })
  const { id: imageId, url } = uploaded.body as { id: number; url: string }
  const path = `/api/v1/products/${productId}/images/${imageId}`
  await shop.call('POST', path, { token: admin })
  const { body: card } = await shop.call('GET', `/api/v1/products/${productId}`)
  const { slug } = card as { slug: string }
  const { id } = await placeOrder(shop, [
    { productId, quantity: 1 },
    { productId: await product(), quantity: 1 },
  ])
  const shown = await read(id)
  expect(shown.items).toMatchObject([{ slug, imageUrl: url }, { imageUrl: null }])
  const removed = await shop.call('DELETE', `${ORDERS}/${id}/items/${shown.items[1]?.id}`, { token: admin })
  expect(removed).toMatchObject({ status: 200, body: { id, items: [{ slug, imageUrl: url }] } })
  const list = await shop.call('GET', `${ORDERS}?search=%23${id}`, { token })
  expect(list.body).toMatchObject({ content: [removed.body] })
})

test('actions say what the state of an order allows', async () => {
  const all = { editItems: true, submit: true, cancel: true }
  const none = { editItems: false, submit: false, cancel: false }
  const { db } = shop.deps
  for (const [status, actions] of [
    ['NEW', all],
    ['PROCESSING', { ...all, cancel: false }],
    ['ERROR', { ...all, cancel: false }],
    ['SENT', none],
    ['COMPLETED', none],
    ['CANCELLED', none],
  ] as const) {
    expect(await read(await createSupplierOrder(shop, status))).toMatchObject({ status, actions })
  }
  const id = await createSupplierOrder(shop, 'ERROR')
  await beginSubmissions(shop, id)
  expect((await read(id)).actions).toEqual(none)
  // Interrupted by a crash, so nobody knows whether the supplier has the order.
  await db
    .updateTable('order_submit_attempts')
    .set({ started_at: new Date(Date.now() - 61_000) })
    .where('order_id', '=', id)
    .execute()
  expect((await read(id)).actions).toEqual({ ...none, submit: true })
  await db.updateTable('orders').set({ external_id: 's-1' }).where('id', '=', id).execute()
  expect((await read(id)).actions).toEqual(none)
})

test('the summary counts by status under the filters of the list', async () => {
  const summary = async (query: string) =>
    (await shop.call('GET', `${ORDERS}/summary?${query}`, { token })).body as {
      byStatus: Record<string, number>
      waiting: { newOrders: number }
    }
  const customer = await createUser(shop, 'USER')
  const fields = { customerName: 'Особенная' }
  const items = [{ productId: await product(), quantity: 1 }]
  const [first] = [
    await placeOrder(shop, items, { token: shop.app.signToken(customer), fields }),
    await placeOrder(shop, items, { token: shop.app.signToken(customer) }),
  ]
  await shop.call('PATCH', `${ORDERS}/${first.id}`, { token, body: { status: 'PROCESSING' } })
  const all = await summary('')
  for (const query of [`userId=${customer.id}`, 'search=Особенная', 'status=NEW,ERROR', 'dateTo=2020-01-01', '']) {
    const { byStatus, waiting } = await summary(query)
    for (const [status, count] of Object.entries(byStatus)) {
      const list = await shop.call('GET', `${ORDERS}?${query}`, { token })
      const total = (list.body as { content: StaffOrder[] }).content.filter((order) => order.status === status).length
      expect([query, status, count]).toEqual([query, status, total])
    }
    expect(waiting).toEqual(all.waiting)
  }
  expect((await summary(`userId=${customer.id}`)).byStatus).toMatchObject({ NEW: 1, PROCESSING: 1, SENT: 0 })
  expect((await shop.call('GET', `${ORDERS}/summary?status=NONE`, { token })).status).toBe(400)
})

test('a product says to staff what reservations leave of its stock', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 50 })
  await place({ items: [{ productId, quantity: 30 }] })
  const card = async (options: { token?: string }) =>
    (await shop.call('GET', `/api/v1/products/${productId}`, options)).body
  expect(await card({ token })).toMatchObject({ stock: 50, availableQuantity: 20 })
  expect(await card({})).not.toHaveProperty('availableQuantity')
})
