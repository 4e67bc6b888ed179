import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { availableOf, beginSubmissions, orderDetails, placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let manager: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  manager = await loginAs(shop, 'MANAGER')
})
afterAll(() => shop.close())

const setStatuses = (ids: unknown, status: unknown) =>
  shop.call('POST', '/api/v1/admin/orders/bulk-status', { token: manager, body: { ids, status } })

test('sets the status of each order on its own and names those it could not change', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db, { stock: 2 })
  const place = async () => (await placeOrder(shop, [{ productId, quantity: 1 }])).id
  const [first, second] = [await place(), await place()]
  expect((await setStatuses([first, second, first], 'CANCELLED')).body).toEqual({ changed: 2, errors: [] })
  expect(await availableOf(shop, productId)).toBe(2)
  const third = await place()
  // Only one piece is left for the two cancelled ones; the third is open already.
  const { body } = await setStatuses([second, 2_147_483_647, first, third], 'NEW')
  expect(body).toMatchObject({
    changed: 1,
    errors: [
      { id: 2_147_483_647, code: 'NOT_FOUND' },
      { id: first, code: 'PRODUCT_UNAVAILABLE' },
    ],
  })
  const { status, history, version } = await orderDetails(shop, manager, second)
  expect([status, version, history.map(({ toStatus }) => toStatus)]).toEqual(['NEW', 3, ['NEW', 'CANCELLED', 'NEW']])
  expect((await orderDetails(shop, manager, third)).version).toBe(1)
  const audited = await db
    .selectFrom('audit_log')
    .select('after')
    .where('entity', '=', 'ORDER')
    .where('entity_id', '=', `${second}`)
    .orderBy('id')
    .execute()
  expect(audited).toEqual([{ after: { status: 'CANCELLED' } }, { after: { status: 'NEW' } }])
})

test('says in the language of the caller why an order was not changed', async () => {
  const answers = ['ru', 'en'].map((language) =>
    shop.call('POST', '/api/v1/admin/orders/bulk-status', {
      token: manager,
      headers: { 'accept-language': language },
      body: { ids: [2_147_483_647], status: 'NEW' },
    }),
  )
  expect((await Promise.all(answers)).map(({ body }) => body)).toMatchObject([
    { errors: [{ message: 'Не найдено' }] },
    { errors: [{ message: 'No such order' }] },
  ])
})

test('leaves an order alone while it is being submitted', async () => {
  const line = { productId: await createProduct(shop.deps.db), quantity: 1 }
  const [busy, free] = [(await placeOrder(shop, [line])).id, (await placeOrder(shop, [line])).id]
  await beginSubmissions(shop, busy)
  expect((await setStatuses([busy, free], 'PROCESSING')).body).toMatchObject({
    changed: 1,
    errors: [{ id: busy, code: 'ORDER_SUBMITTING' }],
  })
})

test.each([
  [[], 'NEW'],
  [Array.from({ length: 501 }, (_, n) => n + 1), 'NEW'],
  [['1'], 'NEW'],
  [[0], 'NEW'],
  [[1], 'LOST'],
  [1, 'NEW'],
])('rejects the request %#', async (ids, status) => {
  expect((await setStatuses(ids, status)).status).toBe(400)
})
