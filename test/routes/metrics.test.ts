import { connect } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createProduct } from '../support/factories.ts'
import { whileLocked } from '../support/locks.ts'
import { METRICS_TOKEN, scrape } from '../support/metrics.ts'
import { placeOrder, sendOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop({ METRICS_TOKEN })
})
afterAll(() => shop.close())

const statusFor = async (token: string, at = shop) => (await at.call('GET', '/metrics', { token })).status
const countOf = async (labels: { [name: string]: string }) =>
  (await scrape(shop)).value('http_request_duration_seconds_count', labels)

const inFlight = async () => (await scrape(shop)).value('http_requests_in_flight')

test('opens to the configured token, and to ADMIN and above', async () => {
  const { headers } = await shop.call('GET', '/metrics', { token: METRICS_TOKEN })
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(await statusFor(await loginAs(shop, 'ADMIN'))).toBe(200)
  expect(await statusFor(await loginAs(shop, 'MANAGER'))).toBe(403)
  const key = { name: 'monitoring', role: 'ADMIN' }
  const created = await shop.call('POST', '/api/v1/admin/api-keys', {
    token: await loginAs(shop, 'SUPER_ADMIN'),
    body: key,
  })
  expect(await statusFor(String(Object(created.body).key))).toBe(200)
  for (const wrong of [METRICS_TOKEN.slice(1), `${METRICS_TOKEN}x`, METRICS_TOKEN.toUpperCase(), 'undefined']) {
    expect(await statusFor(wrong)).toBe(401)
  }
  // The token opens nothing else.
  expect((await shop.call('GET', '/api/v1/admin/jobs', { token: METRICS_TOKEN })).status).toBe(401)
})

test('stays closed without a configured token', async () => {
  const other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  expect(await statusFor('', other)).toBe(401)
  expect(await statusFor('undefined', other)).toBe(401)
  // One registry per shop.
  const token = await loginAs(shop, 'ADMIN')
  await expect
    .poll(async () => (await other.call('GET', '/metrics', { token })).text)
    .toContain('http_request_duration_seconds_count{method="GET",route="/metrics",status="4xx"} 2')
  await other.close()
})

test('counts requests by route pattern, and those without a route as one', async () => {
  for (const path of ['/api/v1/products/11', '/api/v1/products/12?search=private', '/private/1', '/private/2']) {
    await shop.call('GET', path)
  }
  const counts = () =>
    Promise.all(['/api/v1/products/:id', 'unknown'].map((route) => countOf({ method: 'GET', route, status: '4xx' })))
  await expect.poll(counts).toEqual([2, 2])
  const { samples } = await scrape(shop)
  expect(JSON.stringify(samples)).not.toContain('private')
  const buckets = samples.filter(
    ({ name, labels }) => name === 'http_request_duration_seconds_bucket' && labels.route === 'unknown',
  )
  expect(buckets.map((bucket) => bucket.value)).toEqual(buckets.map((bucket) => bucket.value).toSorted())
  expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 2 })
  // This one.
  await expect.poll(inFlight).toBe(1)
})

test('counts requests in flight until the client closes them', async () => {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1')
  socket.write(
    'POST /api/v1/contacts HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  )
  await expect.poll(inFlight).toBe(2)
  socket.destroy()
  await expect.poll(inFlight).toBe(1)
})

test('counts orders placed, and refused by code', async () => {
  const items = [{ productId: await createProduct(shop.deps.db, { stock: 1 }), quantity: 1 }]
  await placeOrder(shop, items, { key: 'the-same-order' })
  // A repetition is no further order.
  await placeOrder(shop, items, { key: 'the-same-order' })
  expect((await sendOrder(shop, items)).status).toBe(409)
  const { value } = await scrape(shop)
  expect(value('orders_placed_total')).toBe(1)
  expect(value('orders_refused_total', { code: 'PRODUCT_UNAVAILABLE' })).toBe(1)
  expect(value('orders_submitted_total', { result: 'accepted' })).toBe(0)
})

test('shows the rest while the database answers nothing', async () => {
  const own = await startTestShop({ METRICS_TOKEN })
  const hanging = await whileLocked(
    own.deps.db,
    (trx) => sql`lock table sync_runs`.execute(trx),
    () => scrape(own),
  )
  expect(hanging.value('database_up')).toBe(0)
  expect(hanging.value('database_pool_total')).toBeGreaterThan(0)
  expect(hanging.types.has('queue_depth')).toBe(false)
  await own.close()
})
