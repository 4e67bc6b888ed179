import { afterAll, beforeAll, expect, test } from 'vitest'
import { SLIP_POLICY } from '../../../src/services/orders/print.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let manager: string
let id: number

beforeAll(async () => {
  shop = await startTestShop({ SHOP_TIME_ZONE: 'Europe/Moscow' })
  manager = await loginAs(shop, 'MANAGER')
  const admin = await loginAs(shop, 'ADMIN')
  const methods = [{ code: 'courier', name: 'Курьером', price: 300, freeFrom: null }]
  await setSetting(shop, admin, 'delivery_methods', JSON.stringify(methods))
  await setSetting(shop, admin, 'shop_company', 'ООО «Ромашка & Ко»')
  const { db } = shop.deps
  const drill = await createProduct(db, { name: 'Дрель <b>"X"</b>', price: '1234.50', externalId: 'T-1' })
  const own = await createProduct(db, { name: 'Own product', price: '10.00', externalId: null })
  const items = [
    { productId: drill, quantity: 2 },
    { productId: own, quantity: 3 },
  ]
  const fields = {
    customerName: '<script>alert(1)</script>',
    deliveryMethod: 'courier',
    deliveryAddress: 'Москва, ул. Лесная, 5',
    comment: 'Звонить\nдважды',
  }
  id = (await placeOrder(shop, items, { fields })).id
})
afterAll(() => shop.close())

const print = (query = '') => shop.call('GET', `/api/v1/admin/orders/${id}/print${query}`, { token: manager })
const plain = (text: string) => text.replaceAll(/\s/g, ' ')

test('a slip has the order with its prices, and nothing that runs', async () => {
  const { status, headers, text } = await print()
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('content-security-policy')).toBe(SLIP_POLICY)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(text).not.toMatch(/<script|<b>|onerror/)
  for (const shown of [
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    'Дрель &lt;b&gt;&quot;X&quot;&lt;/b&gt;',
    'T-1',
    'Own product',
  ])
    expect(text).toContain(shown)
  for (const shown of ['Курьером', 'ООО «Ромашка &amp; Ко»', 'Звонить\nдважды', 'Лесная', 'Shop'])
    expect(text).toContain(shown)
  for (const amount of ['1 234,50 ₽', '2 469,00 ₽', '30,00 ₽', '2 499,00 ₽', '300,00 ₽', '2 799,00 ₽'])
    expect(plain(text)).toContain(amount)
  expect(text).toContain('GMT+3')
})

test('one without prices has no amount', async () => {
  const { text } = await print('?prices=false')
  expect(text).toContain('Own product')
  expect(text).not.toMatch(/₽|Итого|Цена/)
})

test.each([
  ['?prices=maybe', 400],
  ['', 200],
])('%j answers %i', async (query, status) => {
  expect((await print(query)).status).toBe(status)
})

test('only for staff who see orders, and for orders that exist', async () => {
  const path = `/api/v1/admin/orders/${id}/print`
  expect((await shop.call('GET', path)).status).toBe(401)
  expect((await shop.call('GET', path, { token: await loginAs(shop, 'EDITOR') })).status).toBe(403)
  expect((await shop.call('GET', '/api/v1/admin/orders/999999/print', { token: manager })).status).toBe(404)
})
