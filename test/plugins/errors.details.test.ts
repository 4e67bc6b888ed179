import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let token: string

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  token = await loginAs(shop, 'SUPER_ADMIN')
})
afterAll(() => shop.close())

const DAY = '2026-11-21'

// In each body some fields fail the schema and others a check of the service.
test.each([
  ['POST', 'products', { name: 1, price: 1.234, sitePrice: 0.001, description: 'ok' }, ['name', 'price', 'sitePrice']],
  ['PUT', 'products/1', { name: '', sitePrice: 0.001, stock: 'x' }, ['name', 'sitePrice', 'stock']],
  ['PATCH', 'products/1', { stock: 1.5, sitePrice: 0.001 }, ['sitePrice', 'stock']],
  [
    'POST',
    'categories',
    { name: '\u0001', displayOrder: 'x', seoTextDoc: { a: 'x'.repeat(70_000) } },
    ['displayOrder', 'name', 'seoTextDoc'],
  ],
  ['PUT', 'categories/1', { name: '\u0001', displayOrder: 'x' }, ['displayOrder', 'name']],
  ['POST', 'tags', { name: '', slug: 'A B' }, ['name', 'slug']],
  ['PUT', 'tags/1', { name: '', slug: 'A B' }, ['name', 'slug']],
  [
    'POST',
    'orders',
    {
      customerName: '',
      customerPhone: '\u0001'.repeat(5),
      items: [{ productId: 1, quantity: 10_000 }],
    },
    ['customerName', 'customerPhone', 'items.0.quantity'],
  ],
  ['PATCH', 'admin/orders/1', { status: 'NOPE', customerName: '\u0001' }, ['customerName', 'status']],
  [
    'POST',
    'contacts',
    { name: '', phone: '12', email: 'anna@x@y', message: '' },
    ['email', 'message', 'name', 'phone'],
  ],
  [
    'POST',
    'banner-blocks',
    { title: '', linkUrl: 'javascript:x', activeFrom: `${DAY}T01:00:00Z`, activeTo: `${DAY}T00:00:00Z` },
    ['activeTo', 'linkUrl', 'title'],
  ],
  ['PUT', 'feature-items/1', { title: '', linkUrl: '//evil.example' }, ['linkUrl', 'title']],
  ['POST', 'admin/category-filters', { pattern: '(', target: 'x' }, ['pattern', 'target']],
  ['POST', 'admin/category-filters/test', { pattern: '(', target: 'x' }, ['pattern', 'target']],
  [
    'POST',
    'admin/xml-pipeline/image-overrides',
    { productId: 'x', mode: 'APPEND', urls: ['ftp://x'] },
    ['productId', 'urls.0'],
  ],
  ['POST', 'admin/scrape-queue/manual-import', { productId: 'x', urls: ['ftp://x'] }, ['productId', 'urls.0']],
  ['POST', 'admin/api-keys', { name: '', role: 'EDITOR', expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt', 'name']],
  ['POST', 'admin/config', { key: 'mail_language', value: 'xx', isPublic: 'x' }, ['isPublic', 'value']],
  [
    'PUT',
    'admin/config/alert_email',
    { value: 'x', isPublic: 'x', description: 1 },
    ['description', 'isPublic', 'value'],
  ],
  // The rule for its value can't read the number.
  ['PUT', 'admin/config/notification_email', { value: 5, isPublic: 'x' }, ['isPublic', 'value']],
  ['POST', 'admin/webhooks', { url: 'ftp://x', events: ['x'] }, ['events.0', 'url']],
  [
    'POST',
    'admin/license/prices',
    { startDate: DAY, endDate: '2026-11-20', serverCost: 0.001, supportCost: 'x' },
    ['endDate', 'serverCost', 'supportCost'],
  ],
  ['POST', 'admin/license/topups', { date: '2026-02-30', amount: -1 }, ['amount', 'date']],
  // Text that can't be stored, beside a fault of the schema.
  ['POST', 'auth/register', { name: 'a\0', email: 'anna', password: 'x' }, ['email', 'name', 'password']],
])('names all faults of %s %s', async (method, path, body, paths) => {
  const answer = await shop.call(method, `/api/v1/${path}`, { body, token })
  const { details } = Object(answer.body)
  expect([answer.status, details.map((detail: { path: string }) => detail.path).toSorted()]).toEqual([400, paths])
})

test.each([
  ['license/topups', { date: '31.12.2026', amount: 1 }, 'Введите дату, например 2026-12-31'],
  [
    'config',
    { key: 'мой ключ', value: 'x' },
    'Только латинские буквы, цифры, точки, дефисы и подчёркивания, первой — буква',
  ],
])('says what admin/%s takes', async (path, body, message) => {
  const headers = { 'accept-language': 'ru' }
  const answer = await shop.call('POST', `/api/v1/admin/${path}`, { body, token, headers })
  expect(answer.body).toMatchObject({ details: [{ message }] })
})

test('does not check a body of which the schema reports only the first fault', async () => {
  const body = { name: '', title: [], urls: Array(3000).fill(1), seoTextDoc: 1, slug: 5 }
  const { status, body: refused } = await shop.call('POST', '/api/v1/tags', { body, token })
  expect([status, Object(refused).details.length]).toEqual([400, 1])
})
