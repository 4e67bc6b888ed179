import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { clientOf, listProducts, numberedCatalogue } from '../demo/client.ts'
import { type FaultySupplier, startFaultySupplier } from './faulty-supplier.ts'

let supplier: FaultySupplier

beforeAll(async () => {
  supplier = await startFaultySupplier({ catalogue: numberedCatalogue(30), token: 'test-token' })
})
beforeEach(() => {
  supplier.faults.reset()
  supplier.requests.length = 0
  supplier.rawProducts.length = 0
})
afterAll(() => supplier.close())

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${supplier.url}/${path}`, { ...init, headers: { token: 'test-token', 'content-type': 'application/json' } })

async function statuses(count: number, path = 'ListProducts?page=1'): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < count; i += 1) seen.push((await ask(path)).status)
  return seen
}

test('passes requests on, records them, and answers under its own address', async () => {
  const { items } = await listProducts(clientOf(supplier), { limit: 1 })
  expect(items).toMatchObject([{ id: 'p1', url: `${supplier.siteUrl}/p/p1` }])
  expect((await fetch(`${supplier.siteUrl}/p/p1`)).status).toBe(200)
  expect(supplier.requests).toMatchObject([
    { method: 'GET', path: '/api/ListProducts?limit=1', headers: { token: 'test-token' } },
    { method: 'GET', path: '/p/p1' },
  ])
})

test('failNext fails the next requests, failEvery every nth, of a path if wanted', async () => {
  supplier.faults.set({ failNext: 2, status: 429 })
  expect(await statuses(3)).toEqual([429, 429, 200])
  supplier.faults.reset()
  supplier.faults.set({ failEvery: 3 })
  expect(await statuses(7)).toEqual([200, 200, 500, 200, 200, 500, 200])
  supplier.faults.set({ failEvery: 1, path: 'page=2' })
  expect([await statuses(1), await statuses(1, 'ListProducts?page=2')]).toEqual([[200], [500]])
})

test('cutNext and cutEvery declare the full length and send half', async () => {
  supplier.faults.set({ cutNext: 1 })
  const answer = await ask('ListProducts')
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(1000)
  await expect(answer.text()).rejects.toThrow()
  supplier.faults.set({ cutEvery: 1, path: '/feed.xml' })
  await expect(fetch(supplier.feedUrl).then((feed) => feed.text())).rejects.toThrow()
})

test('malformedNext sends HTML, replaceNext another JSON body', async () => {
  supplier.faults.set({ malformedNext: 1, replaceNext: 1, replaceBody: { items: null } })
  const page = await ask('ListBrands')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html'])
  expect(await (await ask('ListBrands')).json()).toEqual({ items: null })
  expect(await (await ask('ListBrands')).json()).toMatchObject({ items: [{ id: 'b1' }] })
})

test('stuckNextPage repeats the requested page; raw products end the last one', async () => {
  supplier.rawProducts.push({ id: 'p1', name: 'второй раз' }, 'not even an object')
  const client = clientOf(supplier)
  expect((await listProducts(client, { page: 1, limit: 20 })).items).toHaveLength(20)
  const last = await listProducts(client, { page: 2, limit: 20 })
  expect(last.items.slice(10)).toEqual([{ id: 'p1', name: 'второй раз' }, 'not even an object'])
  supplier.faults.set({ stuckNextPage: true })
  expect(await listProducts(client, { page: 2, limit: 10 })).toMatchObject({ nextPage: 2 })
})

test('hangNext never responds, latencyMs responds later', async () => {
  supplier.faults.set({ hangNext: 1, latencyMs: 120 })
  await expect(ask('ListBrands', { signal: AbortSignal.timeout(300) })).rejects.toThrow()
  const began = performance.now()
  expect(await statuses(1)).toEqual([200])
  expect(performance.now() - began).toBeGreaterThanOrEqual(115)
})

test('loseAnswerNext creates the order without a response', async () => {
  supplier.faults.set({ loseAnswerNext: 1 })
  const body = JSON.stringify({
    reference: 'lost',
    customer: { name: 'Анна', phone: '1' },
    items: [{ productId: 'p1', quantity: 1, price: 1 }],
  })
  await expect(ask('CreateOrder', { method: 'POST', body })).rejects.toThrow()
  expect(supplier.orders).toHaveLength(1)
  const repeated = await (await ask('CreateOrder', { method: 'POST', body })).json()
  expect(repeated).toEqual({ id: supplier.orders[0]?.id })
})
