import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forwardedAddress } from '../../src/rules/accounts/client-address.ts'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { orderDetails, setSetting } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let root: string
let key: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '3', RATE_LIMIT_PER_SECOND: '20', RATE_LIMIT_COSTLY_PER_SECOND: '5' })
  root = await loginAs(shop, 'SUPER_ADMIN')
  key = (await createKey('USER')).key
  productId = await createProduct(shop.deps.db, { stock: 1000 })
})
afterAll(() => shop.close())

async function createKey(role: string): Promise<{ id: number; key: string }> {
  const body = { name: randomUUID(), role }
  return Object((await shop.call('POST', '/api/v1/admin/api-keys', { token: root, body })).body)
}
const forwarding = (client: string) => ({ token: key, headers: { 'x-forwarded-for': client } })
const order = (client: string, phone: string) => {
  const body = { customerName: 'Анна', customerPhone: phone, items: [{ productId, quantity: 1 }] }
  return shop.call('POST', '/api/v1/orders', { ...forwarding(client), body })
}
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status)

test('a storefront’s server is not counted by its network', async () => {
  const search = () => shop.call('GET', '/api/v1/products?search=qwertyuiop&size=1', { token: key })
  expect(new Set(statusesOf(await Promise.all(Array.from({ length: 60 }, search))))).toEqual(new Set([200]))
  const validate = () => shop.call('POST', '/api/v1/cart/validate', { token: key, body: [] })
  expect(new Set(statusesOf(await Promise.all(Array.from({ length: 60 }, validate))))).toEqual(new Set([200]))
})

test('the addresses that it forwards are limited, each by itself', async () => {
  const first = []
  for (let n = 0; n < 4; n++) first.push(await order('203.0.113.7', `+7 900 100-00-0${n}`))
  expect(statusesOf(first)).toEqual([201, 201, 201, 429])
  expect((await order('203.0.113.8, 203.0.113.9', '+7 900 100-00-09')).status).toBe(201)
  await setSetting(shop, root, 'contact_limit_per_ip', '1')
  const contact = (client: string, phone: string) =>
    shop.call('POST', '/api/v1/contacts', { ...forwarding(client), body: { name: 'Анна', phone, message: 'Привет' } })
  expect((await contact('203.0.113.7', '+79001000001')).status).toBe(201)
  expect((await contact('203.0.113.7', '+79001000002')).status).toBe(429)
  expect((await contact('203.0.113.8', '+79001000003')).status).toBe(201)
})

test('nobody else forwards addresses', async () => {
  const { key: staff } = await createKey('MANAGER')
  const contact = (token: string | undefined, client: string, phone: string) => {
    const headers = { 'x-forwarded-for': client }
    return shop.call('POST', '/api/v1/contacts', {
      ...(token && { token }),
      headers,
      body: { name: 'Ян', phone, message: 'x' },
    })
  }
  await setSetting(shop, root, 'contact_limit_per_ip', '1')
  expect((await contact(undefined, '198.51.100.1', '+79002000001')).status).toBe(201)
  expect((await contact(staff, '198.51.100.2', '+79002000002')).status).toBe(429)
  expect((await contact(`${key}x`, '198.51.100.3', '+79002000003')).status).toBe(429)
})

test('its orders are those of customers without an account', async () => {
  const placed = await order('203.0.113.20', '+7 900 300-00-00')
  expect(placed.status).toBe(201)
  const body = Object(placed.body)
  expect(body).toMatchObject({ userId: null, trackingToken: expect.any(String) })
  expect(body).not.toHaveProperty('adminComment')
  const { history } = await orderDetails(shop, root, body.id)
  expect(history).toMatchObject([{ actorKind: 'CUSTOMER', userName: null }])
  const tooMany = { customerName: 'Анна', customerPhone: '+79003000000', items: [{ productId, quantity: 21 }] }
  expect((await shop.call('POST', '/api/v1/orders', { ...forwarding('203.0.113.21'), body: tooMany })).status).toBe(409)
  const { status: read } = await shop.call('GET', `/api/v1/orders/${body.id}`, { token: key })
  expect(read).toBe(403)
})

test.each([
  ['GET', '/api/v1/orders/my', 403],
  ['GET', '/api/v1/auth/profile', 403],
  ['GET', '/api/v1/admin/orders', 403],
  ['GET', '/api/v1/reviews', 403],
  ['GET', '/api/v1/no-such-path', 404],
])('%s %s answers it %i', async (method, path, status) => {
  expect((await shop.call(method, path, { token: key })).status).toBe(status)
})

test('it sees what the public sees', async () => {
  const hidden = await createProduct(shop.deps.db, { activeOverride: false })
  expect((await shop.call('GET', `/api/v1/products/${hidden}`, { token: key })).status).toBe(404)
  const { body } = await shop.call('GET', `/api/v1/products/${productId}`, { token: key })
  expect(body).not.toHaveProperty('sitePrice')
})

test('a revoked one is an invalid token', async () => {
  const made = await createKey('USER')
  await shop.call('DELETE', `/api/v1/admin/api-keys/${made.id}`, { token: root })
  expect((await shop.call('POST', '/api/v1/orders', { token: made.key, body: {} })).status).toBe(401)
})

test.each([
  ['10.0.0.5', '203.0.113.7', '203.0.113.7'],
  ['10.0.0.5', '6.6.6.6, 203.0.113.7', '203.0.113.7'],
  // Behind a proxy that is trusted.
  ['10.0.0.5', '203.0.113.7, 10.0.0.5', '203.0.113.7'],
  ['10.0.0.5', '203.0.113.7:51234', '203.0.113.7:51234'],
  ['10.0.0.5', '[2001:db8::7]:443', '[2001:db8::7]:443'],
  ['10.0.0.5', '', '10.0.0.5'],
  ['10.0.0.5', 'unknown', '10.0.0.5'],
  ['10.0.0.5', '10.0.0.5', '10.0.0.5'],
])('from %s with X-Forwarded-For %j the client is %s', (ip, header, client) => {
  expect(forwardedAddress(ip, header)).toBe(client)
})
