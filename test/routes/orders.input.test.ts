import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { placeOrder, sendOrder, setSetting } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

beforeEach(() => setSetting(shop, admin, 'order_max_quantity', '9999'))

const product = (input = {}) => createProduct(shop.deps.db, input)
const long = (length: number) => 'x'.repeat(length)
const line = { productId: 1, quantity: 1 }

test.each(['Bearer nonsense', 'Basic eDp5', 'Bearer', ''])(
  'rejects the token "%s" with 401 before validation',
  async (authorization) => {
    const answer = await shop.call('POST', '/api/v1/orders', { headers: { authorization }, body: {} })
    expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized' }])
  },
)

test.each([
  ['items', { items: undefined }],
  ['items', { items: [] }],
  ['items', { items: {} }],
  ['items', { items: null }],
  ['items', { items: Array.from({ length: 101 }, () => line) }],
  ['items.0', { items: [null] }],
  ['items.0.productId', { items: [{ quantity: 1 }] }],
  ['items.0.productId', { items: [{ ...line, productId: '1' }] }],
  ['items.0.productId', { items: [{ ...line, productId: 0 }] }],
  ['items.0.productId', { items: [{ ...line, productId: 2_147_483_648 }] }],
  ['items.0.quantity', { items: [{ productId: 1 }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: 0 }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: -1 }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: 1.5 }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: 10_000 }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: '1' }] }],
  ['items.0.quantity', { items: [{ ...line, quantity: true }] }],
  ['customerName', { customerName: undefined }],
  ['customerName', { customerName: null }],
  ['customerName', { customerName: '' }],
  ['customerName', { customerName: ' \n ' }],
  ['customerName', { customerName: '\u0001' }],
  ['customerPhone', { customerPhone: '\u0001\u0001\u0001' }],
  ['customerName', { customerName: long(201) }],
  ['customerName', { customerName: 5 }],
  ['customerPhone', { customerPhone: undefined }],
  ['customerPhone', { customerPhone: '12' }],
  ['customerPhone', { customerPhone: 'abcdef' }],
  ['customerPhone', { customerPhone: '+7 900' }],
  ['customerPhone', { customerPhone: long(51) }],
  ['customerEmail', { customerEmail: 'nobody' }],
  ['customerEmail', { customerEmail: 'a b@example.test' }],
  ['customerEmail', { customerEmail: '\u0430nna@example.test' }],
  ['customerEmail', { customerEmail: 'анна@почта.рф' }],
  ['customerEmail', { customerEmail: `a@${long(253)}` }],
  ['deliveryMethod', { deliveryMethod: long(101) }],
  ['deliveryMethod', { deliveryMethod: 1 }],
  ['deliveryAddress', { deliveryAddress: long(501) }],
  ['comment', { comment: long(2001) }],
  ['comment', { comment: 'a\0b' }],
  ['customerName', { customerName: 'a\ud800' }],
])('rejects a wrong %s with 400 and names it (%#)', async (path, fields) => {
  const answer = await sendOrder(shop, [line], { fields })
  expect(answer.status).toBe(400)
  const { code, details } = answer.body as { code: string; details: { path: string }[] }
  expect([code, [...new Set(details.map((detail) => detail.path))]]).toEqual(['VALIDATION_FAILED', [path]])
})

test.each(['null', '[]', '"x"', '3', '{'])('rejects the body %s with 400', async (body) => {
  const answer = await fetch(`${shop.url}/api/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(answer.status).toBe(400)
})

test('accepts values at the limits', async () => {
  const cheap = await product({ price: '0.01', stock: 9999 })
  const order = await placeOrder(shop, [{ productId: cheap, quantity: 9999 }], {
    fields: {
      customerName: long(200),
      customerPhone: '1-23-45',
      customerEmail: null,
      deliveryMethod: long(100),
      deliveryAddress: long(500),
      comment: long(2000),
    },
  })
  expect(order.total).toBe(99.99)
})

test('accepts a hundred lines, and sums lines of one product', async () => {
  const first = await product({ stock: 100 })
  const second = await product({ stock: 100 })
  const items = Array.from({ length: 100 }, (_, n) => ({ productId: n % 2 ? second : first, quantity: 1 }))
  const order = await placeOrder(shop, items)
  expect(order.items.map(({ productId, quantity }) => [productId, quantity])).toEqual([
    [first, 50],
    [second, 50],
  ])
})

test('lines of one product that add up to more than an order may have are unavailable', async () => {
  const plenty = await product({ stock: 20_000 })
  const items = [await product(), plenty, plenty].map((productId) => ({ productId, quantity: 1 }))
  const answer = await sendOrder(shop, [...items, { productId: plenty, quantity: 9998 }])
  expect([answer.status, answer.body]).toMatchObject([
    409,
    { code: 'PRODUCT_UNAVAILABLE', details: [{ path: 'items.1', reason: 'INVALID_QUANTITY' }] },
  ])
})

describe('the most pieces of a product in an order', () => {
  const order = (productId: number, quantities: number[], token?: string) => {
    const items = quantities.map((quantity) => ({ productId, quantity }))
    return sendOrder(shop, items, { ...(token !== undefined && { token }) })
  }

  test('are order_max_quantity, by default 20, unless staff place it', async () => {
    const { body } = await shop.call('GET', '/api/v1/admin/config/order_max_quantity', { token: admin })
    expect(body).toMatchObject({ type: 'INTEGER', default: '20', min: 1, max: 9999, isPublic: false })
    await setSetting(shop, admin, 'order_max_quantity', '20')
    const productId = await product({ stock: 1000 })
    for (const role of ['USER', 'EDITOR'] as const) {
      expect((await order(productId, [21], await loginAs(shop, role))).status).toBe(409)
    }
    for (const quantities of [[21], [11, 10], [9999]]) {
      const refused = await order(productId, quantities)
      expect([refused.status, refused.body]).toMatchObject([
        409,
        {
          code: 'PRODUCT_UNAVAILABLE',
          details: [
            {
              path: 'items.0',
              reason: 'INVALID_QUANTITY',
              availableQuantity: 20,
              message: 'Order at most 20 pieces',
            },
          ],
        },
      ])
    }
    for (const quantities of [[20], [10, 10]]) expect((await order(productId, quantities)).status).toBe(201)
    expect((await order(productId, [100], await loginAs(shop, 'MANAGER'))).status).toBe(201)
  })

  test('are as many as staff want in an order that they edit', async () => {
    await setSetting(shop, admin, 'order_max_quantity', '2')
    const productId = await product({ stock: 1000 })
    const { id, items } = await placeOrder(shop, [{ productId, quantity: 2 }])
    const path = `/api/v1/admin/orders/${id}/items/${items[0]?.id}`
    expect((await shop.call('PATCH', path, { token: admin, body: { quantity: 500 } })).status).toBe(200)
  })

  test('follow the setting at once, but a repeat gets the order of before', async () => {
    const productId = await product({ stock: 1000 })
    const items = [{ productId, quantity: 30 }]
    const first = await sendOrder(shop, items, { key: 'before' })
    await setSetting(shop, admin, 'order_max_quantity', '29')
    expect((await sendOrder(shop, items)).status).toBe(409)
    const again = await sendOrder(shop, items, { key: 'before' })
    expect([again.status, again.body]).toMatchObject([201, { id: Reflect.get(Object(first.body), 'id') }])
  })
})
