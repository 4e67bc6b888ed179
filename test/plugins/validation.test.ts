import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NewPassword } from '../../src/schemas/users.ts'
import { loginAs } from '../support/accounts.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop(
    { RATE_LIMIT_REGISTER: '0' },
    {
      prepare(app) {
        const body = Type.Object({
          numbers: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: 100 }),
          word: Type.String({ maxLength: 5 }),
        })
        app.post('/checked', { config: { access: 'public' }, schema: { body } }, async () => 'ok')
        app.post(
          '/password',
          { config: { access: 'public' }, schema: { body: Type.Object({ password: NewPassword }) } },
          async () => 'ok',
        )
      },
    },
  )
})
afterAll(() => shop.close())

async function paths(method: string, path: string, body?: unknown): Promise<unknown[]> {
  const answer = await shop.call(method, path, body === undefined ? {} : { body })
  expect(answer.status).toBe(400)
  return Object(answer.body).details.map((detail: unknown) => Object(detail).path)
}

test('reports every fault of a body', async () => {
  const body = {
    customerName: '',
    customerPhone: 7,
    items: [
      { productId: 1, quantity: 0 },
      { productId: 'x', quantity: 1 },
    ],
  }
  expect(new Set(await paths('POST', '/api/v1/orders', body))).toEqual(
    new Set(['customerName', 'customerPhone', 'items.0.quantity', 'items.1.productId']),
  )
  expect(await paths('POST', '/api/v1/auth/register', {})).toEqual(['name', 'email', 'password'])
})

test('treats zero-width characters as blank', async () => {
  const invisible = '\u200b\u2060 \u00ad\ufeff'
  const user = { name: invisible, email: 'a@example.test', password: 'long enough' }
  expect(await paths('POST', '/api/v1/auth/register', user)).toEqual(['name'])
  const items = [{ productId: 1, quantity: 1 }]
  const order = { customerName: invisible, customerPhone: '12345', items }
  expect(await paths('POST', '/api/v1/orders', order)).toEqual(['customerName'])
})

test('reports every fault of a query', async () => {
  const found = await paths('GET', '/api/v1/products?size=0&page=-1&minPrice=x')
  expect(new Set(found)).toEqual(new Set(['querystring.size', 'querystring.page', 'querystring.minPrice']))
})

test('reports with them what only the rules find that read lists, dates and orders', async () => {
  const token = await loginAs(shop, 'MANAGER')
  const query = 'size=0&sort=secret&status=NEW,LOST&dateFrom=today&dateTo=2026-02-30&page=0'
  const { body } = await shop.call('GET', `/api/v1/admin/orders?${query}`, { token })
  expect(Object(body).details).toEqual([
    { path: 'querystring.size', message: 'The smallest value is 1' },
    { path: 'querystring.sort', message: expect.stringContaining('createdAt') },
    { path: 'querystring.status', message: expect.stringContaining('NEW, PROCESSING') },
    { path: 'querystring.dateFrom', message: expect.stringContaining('YYYY-MM-DD') },
    { path: 'querystring.dateTo', message: expect.stringContaining('YYYY-MM-DD') },
  ])
  const found = await paths('GET', '/api/v1/products?page=-1&sort=secret&brandId=x&ids=0&without=colour')
  expect(new Set(found)).toEqual(
    new Set(['page', 'sort', 'brandId', 'ids', 'without'].map((name) => `querystring.${name}`)),
  )
  const attributes = Array.from({ length: 11 }, (_, index) => `attr.a${index}=x`).join('&')
  expect(new Set(await paths('GET', `/api/v1/products?page=-1&${attributes}`))).toEqual(
    new Set(['querystring', 'querystring.page']),
  )
  expect((await shop.call('GET', '/api/v1/products?sort=&brandId=&ids=&without=')).status).toBe(200)
})

test('takes an empty number of a query for none, but no empty boolean', async () => {
  const empty = await shop.call('GET', '/api/v1/products?page=&size=&categoryId=&minPrice=&maxPrice=')
  expect([empty.status, empty.body]).toMatchObject([200, { number: 0, size: 20 }])
  expect(empty.headers.get('x-unknown-parameters')).toBeNull()
  expect(await paths('GET', '/api/v1/products?inStock=')).toEqual(['querystring.inStock'])
  const token = await loginAs(shop, 'ADMIN')
  const required = await shop.call('DELETE', '/api/v1/admin/orders/bulk-delete?days=', { token })
  expect(required.body).toMatchObject({ details: [{ path: 'querystring.days', message: 'Fill in this field' }] })
})

test('says what is wrong with a negative number, and with a time in place of a day', async () => {
  const negative = await shop.call('GET', '/api/v1/products?page=-1&minPrice=-0.5&categoryId=-3')
  expect(Object(negative.body).details).toEqual([
    { path: 'querystring.page', message: 'The smallest value is 0' },
    { path: 'querystring.categoryId', message: 'The smallest value is 1' },
    { path: 'querystring.minPrice', message: 'The smallest value is 0' },
  ])
  const body = { author: 'Bo', rating: 5, text: 'Good', reviewDate: '2026-01-01T00:00:00Z' }
  const token = await loginAs(shop, 'EDITOR')
  const review = await shop.call('POST', '/api/v1/reviews', { token, body })
  expect(Object(review.body).details).toEqual([{ path: 'reviewDate', message: 'Enter a date, such as 2026-12-31' }])
})

test('refuses a repeated parameter of a query', async () => {
  const repeated = await shop.call('GET', '/api/v1/products?search=a&search=b&size=1&size=2')
  expect(Object(repeated.body).details).toEqual([
    { path: 'querystring.size', message: 'Enter a whole number' },
    { path: 'querystring.search', message: 'Enter a text' },
  ])
})

test('reports a number too large for any maximum', async () => {
  expect(await paths('GET', `/api/v1/products?minPrice=${'9'.repeat(400)}`)).toEqual(['querystring.minPrice'])
})

test('reports text that PostgreSQL cannot store', async () => {
  expect(await paths('GET', '/api/v1/products?search=%00')).toEqual(['querystring.search'])
  const body = { name: 'a\0', email: 'b\ud800@example.test', password: 'long enough' }
  expect(new Set(await paths('POST', '/api/v1/auth/register', body))).toEqual(new Set(['name', 'email']))
})

test.each(['/api/v1/images/a%00b', '/api/v1/products/%00', '/api/v1/products/by-slug/a%00b'])(
  'finds no record by an id that PostgreSQL cannot store: %s',
  async (path) => {
    expect(await shop.call('GET', path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  },
)

test('requires passwords of 8 characters to 72 bytes', async () => {
  const statusOf = async (password: string) => (await shop.call('POST', '/password', { body: { password } })).status
  // The second one has four characters, in eight units of UTF-16.
  for (const wrong of ['1234567', '😀😀😀😀', 'x'.repeat(73), 'ж'.repeat(37)])
    expect(await statusOf(wrong), wrong).toBe(400)
  for (const right of ['12345678', 'x'.repeat(72), 'ж'.repeat(36)]) expect(await statusOf(right), right).toBe(200)
})

test('reports faults of email and password with the others', async () => {
  const body = { name: 'Bo', email: 'nobody', password: 'я'.repeat(40) }
  expect(await paths('POST', '/api/v1/auth/register', body)).toEqual(['email', 'password'])
  const all = await paths('POST', '/api/v1/auth/register', { ...body, name: ' ' })
  expect(new Set(all)).toEqual(new Set(['name', 'email', 'password']))
})

test('reports only the first fault of a very large body', async () => {
  const some = await paths('POST', '/checked', { numbers: Array(90).fill(0), word: 'too long' })
  expect(some).toHaveLength(50)
  const body = { numbers: Array(30_000).fill(0), word: 'too long' }
  expect(await paths('POST', '/checked', body)).toEqual(['numbers'])
})
