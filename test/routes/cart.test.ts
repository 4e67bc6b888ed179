import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cart } from '../../src/schemas/cart.ts'
import { createImage, createProduct, imageAddress } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const validate = (body: unknown) => shop.call('POST', '/api/v1/cart/validate', { body })

test('returns lines in the requested order with current prices', async () => {
  const { db } = shop.deps
  const first = await createProduct(db, { name: 'Lamp', price: '0.10', stock: 5 })
  const second = await createProduct(db, { name: 'Desk', price: '999.99', sitePrice: '19.99', stock: 5 })
  const answer = await validate([
    { productId: second, quantity: 3 },
    { productId: first, quantity: 3 },
  ])
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    valid: true,
    total: 60.27,
    deliveryCost: null,
    items: [
      line(second, 3, { name: 'Desk', price: 19.99, lineTotal: 59.97, availableQuantity: 5 }),
      line(first, 3, { name: 'Lamp', price: 0.1, lineTotal: 0.3, availableQuantity: 5 }),
    ],
  })
})

test('gives the reason for unavailable lines and excludes them from the total', async () => {
  const { db } = shop.deps
  const good = await createProduct(db, { name: 'Good', price: '10.00', stock: 1 })
  const none = await createProduct(db, { name: 'None', price: '10.00', stock: 0 })
  const few = await createProduct(db, { name: 'Few', price: '10.00', stock: 2 })
  const unpriced = await createProduct(db, { name: 'Unpriced', price: null })
  const free = await createProduct(db, { name: 'Free', price: '0.00' })
  const inactive = await createProduct(db, { name: 'Inactive', supplierActive: false })
  const unknown = 2_147_483_647
  const ids = [good, none, few, unpriced, free, inactive, unknown]
  const { body } = await validate(ids.map((productId) => ({ productId, quantity: productId === good ? 1 : 3 })))
  const refused = { available: false }
  const absent = {
    name: null,
    slug: null,
    price: null,
    lineTotal: null,
    availableQuantity: 0,
    reason: 'NOT_FOUND',
    ...refused,
  }
  expect(body).toEqual({
    valid: false,
    total: 10,
    deliveryCost: null,
    items: [
      line(good, 1, { name: 'Good', price: 10, lineTotal: 10, availableQuantity: 1 }),
      line(none, 3, {
        name: 'None',
        price: 10,
        lineTotal: 30,
        availableQuantity: 0,
        reason: 'OUT_OF_STOCK',
        ...refused,
      }),
      line(few, 3, {
        name: 'Few',
        price: 10,
        lineTotal: 30,
        availableQuantity: 2,
        reason: 'NOT_ENOUGH',
        ...refused,
      }),
      line(unpriced, 3, {
        name: 'Unpriced',
        price: null,
        lineTotal: null,
        availableQuantity: 10,
        reason: 'NO_PRICE',
        ...refused,
      }),
      line(free, 3, {
        name: 'Free',
        price: 0,
        lineTotal: 0,
        availableQuantity: 10,
        reason: 'NO_PRICE',
        ...refused,
      }),
      line(inactive, 3, absent),
      line(unknown, 3, absent),
    ],
  })
})

test('checks the stock against the sum of lines of one product', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 5 })
  const both = await validate([
    { productId, quantity: 3 },
    { productId, quantity: 3 },
  ])
  expect(both.body).toMatchObject({
    valid: false,
    total: 0,
    deliveryCost: null,
    items: [{ reason: 'NOT_ENOUGH' }, { reason: 'NOT_ENOUGH' }],
  })
  const enough = await validate([
    { productId, quantity: 3 },
    { productId, quantity: 2 },
  ])
  expect(enough.body).toMatchObject({ valid: true, total: 500 })
})

test('accepts more than the stock with order_allow_backorder', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 0 })
  const setBackorder = async (value: string) => {
    await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', 'order_allow_backorder').execute()
    shop.deps.caches.clear()
  }
  await setBackorder('true')
  const answer = await validate([{ productId, quantity: 7 }])
  await setBackorder('false')
  expect(answer.body).toMatchObject({
    valid: true,
    total: 700,
    deliveryCost: null,
    items: [{ available: true, availableQuantity: 0 }],
  })
})

async function setMaxQuantity(value: string): Promise<void> {
  await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', 'order_max_quantity').execute()
  shop.deps.caches.clear()
}

test('computes the largest amounts exactly', async () => {
  await setMaxQuantity('9999')
  const productId = await createProduct(shop.deps.db, { price: '99999999.99', stock: 9999 })
  expect((await validate([{ productId, quantity: 9999 }])).body).toMatchObject({ total: 999899999900.01 })
  await setMaxQuantity('20')
})

test('says what an order of a customer may not have', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 1000 })
  const reasons = async (...quantities: number[]) => {
    const { body } = await validate(quantities.map((quantity) => ({ productId, quantity })))
    return (body as Cart).items.map(({ reason, availableQuantity }) => [reason, availableQuantity])
  }
  expect(await reasons(20)).toEqual([[null, 1000]])
  expect(await reasons(21)).toEqual([['INVALID_QUANTITY', 1000]])
  expect(await reasons(11, 10)).toEqual(Array(2).fill(['INVALID_QUANTITY', 1000]))
  await setMaxQuantity('21')
  expect(await reasons(11, 10)).toEqual(Array(2).fill([null, 1000]))
  await setMaxQuantity('20')
})

test.each([0, -3, 10_000, 5_000_000_000])('a quantity of %d makes one line unavailable', async (quantity) => {
  const good = await createProduct(shop.deps.db, { price: '10.00', stock: 20_000 })
  const bad = await createProduct(shop.deps.db, { name: 'Bad', price: '10.00', stock: 20_000 })
  const { status, body } = await validate([
    { productId: good, quantity: 2 },
    { productId: bad, quantity },
    { productId: bad, quantity: 1 },
    { productId: 2_147_483_647, quantity },
  ])
  expect([status, body]).toEqual([
    200,
    {
      valid: false,
      total: 30,
      deliveryCost: null,
      items: [
        expect.objectContaining({ available: true, lineTotal: 20 }),
        expect.objectContaining({
          quantity,
          available: false,
          reason: 'INVALID_QUANTITY',
          lineTotal: null,
          name: 'Bad',
          price: 10,
        }),
        expect.objectContaining({ available: true, lineTotal: 10 }),
        expect.objectContaining({ available: false, reason: 'NOT_FOUND' }),
      ],
    },
  ])
})

test('lines of one product beyond what an order may have are unavailable, even as a backorder', async () => {
  await setMaxQuantity('9999')
  const productId = await createProduct(shop.deps.db, { stock: 20_000 })
  const { body } = await validate([
    { productId, quantity: 9999 },
    { productId, quantity: 1 },
  ])
  await setMaxQuantity('20')
  expect(body).toMatchObject({
    total: 0,
    deliveryCost: null,
    items: [{ reason: 'INVALID_QUANTITY' }, { reason: 'INVALID_QUANTITY' }],
  })
})

test('shows slug and main image of a line', async () => {
  const { db } = shop.deps
  const productId = await createProduct(db, { name: 'Lamp', slug: 'lamp' })
  await createImage(db, { productId, displayOrder: 2 })
  const main = await createImage(db, { productId, displayOrder: 1 })
  const shown = { slug: 'lamp', imageUrl: await imageAddress(shop.deps.db, main) }
  const { body } = await validate([{ productId, quantity: 1 }])
  expect(body).toMatchObject({ items: [{ name: 'Lamp', ...shown }] })
  const suggested = await shop.call('GET', '/api/v1/products/suggest?q=lam')
  expect(suggested.body).toMatchObject({
    products: expect.arrayContaining([{ id: productId, name: 'Lamp', price: 100, ...shown }]),
  })
})

test('accepts an empty cart', async () => {
  expect((await validate([])).body).toEqual({ valid: true, total: 0, deliveryCost: null, items: [] })
})

test.each([
  [{ productId: 1, quantity: 1 }],
  [null],
  [[null]],
  [[{ productId: 1 }]],
  [[{ quantity: 1 }]],
  [[{ productId: 1, quantity: 1.5 }]],
  [[{ productId: 1, quantity: '1' }]],
  [[{ productId: true, quantity: 1 }]],
  [[{ productId: [1], quantity: 1 }]],
  [[{ productId: 2_147_483_648, quantity: 1 }]],
  [[{ productId: -1, quantity: 1 }]],
  [Array.from({ length: 101 }, () => ({ productId: 1, quantity: 1 }))],
])('rejects the cart %j', async (body) => {
  const answer = await validate(body)
  expect([answer.status, answer.body]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_FAILED' })])
})

test('rejects a missing body', async () => {
  expect((await shop.call('POST', '/api/v1/cart/validate')).status).toBe(400)
})

function line(productId: number, quantity: number, more: object) {
  return {
    productId,
    quantity,
    slug: expect.any(String),
    imageUrl: null,
    available: true,
    reason: null,
    ...more,
  }
}
