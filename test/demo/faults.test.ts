import type { Got } from 'got'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type DemoSupplier, startDemoSupplier } from '../../demo/supplier.ts'
import { clientOf, idsOf, listProducts, numberedCatalogue } from './client.ts'

let supplier: DemoSupplier
let client: Got

beforeAll(async () => {
  supplier = await startDemoSupplier({ catalogue: numberedCatalogue(30), token: 'test-token', control: true })
  client = clientOf(supplier)
})
beforeEach(() => {
  supplier.faults.reset()
  supplier.requests.clear()
})
afterAll(() => supplier.close())

async function statuses(count: number, path = 'ListProducts?page=1'): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < count; i += 1) seen.push((await client.get(path)).statusCode)
  return seen
}

test('failNext sends the status with Retry-After, then recovers', async () => {
  supplier.faults.set({ failNext: 2, status: 429, retryAfter: 3 })
  const answer = await client.get('ListBrands')
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([429, '3'])
  expect(JSON.parse(answer.body)).toEqual({ error: 'demo fault' })
  expect(await statuses(2)).toEqual([429, 200])
})

test('failEvery fails every nth request', async () => {
  supplier.faults.failEvery = 3
  expect(await statuses(7)).toEqual([200, 200, 500, 200, 200, 500, 200])
})

test('path limits the faults to matching requests, also of the storefront', async () => {
  supplier.faults.set({ failEvery: 1, path: 'page=2' })
  expect(await statuses(1)).toEqual([200])
  expect(await statuses(1, 'ListProducts?page=2')).toEqual([500])
  supplier.faults.path = '/p/'
  expect((await client.get('p/p1', { prefixUrl: supplier.siteUrl })).statusCode).toBe(500)
  expect((await client.get('robots.txt', { prefixUrl: supplier.siteUrl })).statusCode).toBe(200)
})

test('latencyMs delays the response', async () => {
  supplier.faults.latencyMs = 120
  await client.get('ListBrands')
  const [request] = supplier.requests.recent
  expect((request?.finishedAt ?? 0) - (request?.startedAt ?? 0)).toBeGreaterThanOrEqual(115)
})

test('cutNext declares the full length and sends half', async () => {
  supplier.faults.cutNext = 1
  const answer = await fetch(`${supplier.url}/ListProducts`, { headers: { token: 'test-token' } })
  expect(answer.status).toBe(200)
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(1000)
  await expect(answer.text()).rejects.toThrow()
  expect(await statuses(1)).toEqual([200])
})

test('cutEvery cuts every nth response, including pictures and the feed', async () => {
  supplier.faults.cutEvery = 2
  await client.get('ListBrands')
  await expect(client.get('ListBrands')).rejects.toThrow()
  supplier.faults.set({ cutEvery: 1, path: '/feed.xml' })
  await expect(client.get('feed.xml', { prefixUrl: supplier.siteUrl })).rejects.toThrow()
})

test('malformedNext sends a 200 with HTML, replaceNext one with another JSON body', async () => {
  supplier.faults.set({ malformedNext: 1, replaceNext: 1, replaceBody: { items: null } })
  const page = await client.get('ListBrands')
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await client.get('ListBrands').json()).toEqual({ items: null })
  expect(await client.get('ListBrands').json()).toMatchObject({ items: [{ id: 'b1' }] })
})

test('stuckNextPage repeats the requested page', async () => {
  supplier.faults.stuckNextPage = true
  expect((await listProducts(client, { page: 2, limit: 10 })).nextPage).toBe(2)
})

test('hangNext never responds', async () => {
  supplier.faults.hangNext = 1
  await expect(client.get('ListBrands', { timeout: { response: 150 } })).rejects.toThrow('response')
  expect(await statuses(1)).toEqual([200])
})

test('loseAnswerNext creates the order without a response', async () => {
  supplier.faults.loseAnswerNext = 1
  const json = {
    reference: 'lost',
    customer: { name: 'Анна', phone: '1' },
    items: [{ productId: 'p1', quantity: 1, price: 1 }],
  }
  await expect(client.post('CreateOrder', { json })).rejects.toThrow()
  expect(supplier.orders).toHaveLength(1)
  const repeated = await client.post('CreateOrder', { json }).json()
  expect(repeated).toEqual({ id: supplier.orders[0]?.id })
  expect(supplier.orders).toHaveLength(1)
})

test('replaces all faults over HTTP', async () => {
  const control = client.extend({ prefixUrl: `${supplier.siteUrl}/demo` })
  await control.put('faults', { json: { failNext: 1, retryAfter: 2 } })
  expect(await control.get('faults').json()).toMatchObject({ failNext: 1, retryAfter: 2, latencyMs: 0 })
  await control.put('faults', { json: { latencyMs: 1 } })
  expect(supplier.faults.settings()).toMatchObject({ failNext: 0, retryAfter: null, latencyMs: 1 })
  for (const json of [{ fail: 1 }, { toString: 1 }, { failNext: '1' }, { status: 200 }, []]) {
    expect((await control.put('faults', { json })).statusCode).toBe(400)
  }
})

test('changes products over HTTP; control routes are off by default', async () => {
  const control = client.extend({ prefixUrl: `${supplier.siteUrl}/demo` })
  const { changed } = await control.post('changes?count=2').json<{ changed: string[] }>()
  const [newest] = supplier.catalogue.products
  expect(changed).toHaveLength(2)
  expect(newest?.id).toBe('p1')
  expect(idsOf(await listProducts(client, { dateFrom: '01.01.2026 00:00:00.000' }))).toEqual(
    expect.arrayContaining(changed),
  )
  const other = await startDemoSupplier({ catalogue: numberedCatalogue(1) })
  expect((await clientOf(other).get('demo/faults', { prefixUrl: other.siteUrl })).statusCode).toBe(404)
  await other.close()
})

test('close does not wait for a hanging request', async () => {
  const other = await startDemoSupplier({ catalogue: numberedCatalogue(1) })
  other.faults.hangNext = 1
  const hanging = expect(clientOf(other).get('ListBrands')).rejects.toThrow()
  while (other.requests.total === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  await other.close()
  await other.close()
  await hanging
})
