import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type DemoSupplier, type DemoSupplierOptions, startDemoSupplier } from '../../demo/supplier.ts'
import { clientOf, idsOf, type ListAnswer, listProducts, numberedCatalogue } from './client.ts'

const running: DemoSupplier[] = []

async function start(products: number, options: Partial<DemoSupplierOptions> = {}) {
  const catalogue = numberedCatalogue(products)
  const supplier = await startDemoSupplier({ catalogue, token: 'test-token', ...options })
  running.push(supplier)
  return { catalogue, supplier, client: clientOf(supplier) }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((supplier) => supplier.close()))
})

test('pages through every product once, in order of creation', async () => {
  const { client } = await start(25)
  const pages = [1, 2, 3].map((page) => listProducts(client, { page, limit: 10 }))
  const [first, second, third] = await Promise.all(pages)
  expect([first?.nextPage, second?.nextPage, third?.nextPage]).toEqual([2, 3, null])
  expect([first, second, third].flatMap((page) => (page === undefined ? [] : idsOf(page)))).toEqual(
    Array.from({ length: 25 }, (_, index) => `p${index + 1}`),
  )
})

test('ends after a full last page, and returns an empty page beyond it', async () => {
  const { client } = await start(20)
  expect((await listProducts(client, { page: 2, limit: 10 })).nextPage).toBeNull()
  expect(await listProducts(client, { page: 3, limit: 10 })).toEqual({ items: [], page: 3, nextPage: null })
})

test('returns products with exactly the documented fields', async () => {
  const { client, supplier } = await start(1)
  expect((await listProducts(client)).items).toEqual([
    {
      id: 'p1',
      name: 'Дрель 1',
      description: null,
      price: 100.5,
      stock: 5,
      categoryId: 'c1',
      brandId: 'b1',
      active: true,
      url: `${supplier.siteUrl}/p/p1`,
      attributes: [],
      updatedAt: '01.03.2026 10:01:00.000',
    },
  ])
})

test('returns all categories and brands at once', async () => {
  const { client } = await start(0)
  expect(await client.get('ListCategories').json()).toEqual({
    items: [{ id: 'c1', name: 'Дрели', parentId: null, updatedAt: '01.03.2026 00:00:00.000' }],
  })
  expect(await client.get('ListBrands').json<ListAnswer>()).toMatchObject({
    items: [{ name: 'Вектор & Ко' }],
  })
  const later = { searchParams: { dateFrom: '02.03.2026 00:00:00.000' } }
  expect(await client.get('ListBrands', later).json()).toEqual({ items: [] })
})

test('filters by dateFrom, inclusive, and pages the result', async () => {
  const { client } = await start(25)
  const dateFrom = '01.03.2026 10:21:00.000'
  const first = await listProducts(client, { page: 1, limit: 3, dateFrom })
  const second = await listProducts(client, { page: 2, limit: 3, dateFrom })
  expect([idsOf(first), first.nextPage]).toEqual([['p21', 'p22', 'p23'], 2])
  expect([idsOf(second), second.nextPage]).toEqual([['p24', 'p25'], null])
})

test('formats dates in the configured time zone, before and after a clock change', async () => {
  const { client, catalogue } = await start(0, { timeZone: 'Europe/Berlin' })
  catalogue.upsertProduct({ id: 'winter', updatedAt: Date.UTC(2026, 0, 15, 12, 0, 0, 7) })
  catalogue.upsertProduct({ id: 'summer', updatedAt: Date.UTC(2026, 6, 15, 12) })
  const stamps = (await listProducts(client)).items.map((item) => item.updatedAt)
  expect(stamps).toEqual(['15.01.2026 13:00:00.007', '15.07.2026 14:00:00.000'])
  expect(idsOf(await listProducts(client, { dateFrom: '15.07.2026 14:00:00.000' }))).toEqual(['summer'])
  expect(idsOf(await listProducts(client, { dateFrom: '15.07.2026 14:00:00.001' }))).toEqual([])
})

test('returns a change at once', async () => {
  const { client, catalogue } = await start(3)
  const dateFrom = '02.03.2026 00:00:00.000'
  expect(idsOf(await listProducts(client, { dateFrom }))).toEqual([])
  catalogue.upsertProduct({ id: 'p2', price: 7, updatedAt: Date.UTC(2026, 2, 2) })
  expect((await listProducts(client, { dateFrom })).items).toMatchObject([{ id: 'p2', price: 7, name: 'Дрель 2' }])
})

test('changeSome changes price, stock and updatedAt of that many products', async () => {
  const { client, catalogue } = await start(50)
  const before = new Map([...catalogue.products].map((product) => [product.id, product]))
  const changed = catalogue.changeSome(10, Date.UTC(2026, 5, 1))
  const listed = await listProducts(client, { dateFrom: '01.06.2026 00:00:00.000' })
  expect(new Set(idsOf(listed))).toEqual(new Set(changed))
  expect(changed).toHaveLength(10)
  for (const item of listed.items) expect(item.price).not.toBe(before.get(String(item.id))?.price)
})

test('changesPerMinute changes that many products each minute until close', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const lines: string[] = []
  const { catalogue, supplier } = await start(20, { changesPerMinute: 4, log: (line) => lines.push(line) })
  const since = Date.now()
  vi.advanceTimersByTime(60_000)
  expect(catalogue.products.since(since)).toHaveLength(4)
  expect(lines.at(-1)).toBe('demo supplier: changed 4 products')
  await supplier.close()
  const count = lines.length
  vi.advanceTimersByTime(300_000)
  vi.useRealTimers()
  expect(lines).toHaveLength(count)
})

test.each([
  ['page=0', 'page'],
  ['page=x', 'page'],
  ['limit=1001', 'limit'],
  ['limit=0', 'limit'],
  ['dateFrom=2026-03-01', 'dateFrom'],
  ['dateFrom=31.02.2026%2010:00:00.000', 'dateFrom'],
])('%s is a 400 that names the parameter', async (query, name) => {
  const { client } = await start(1)
  const answer = await client.get(`ListProducts?${query}`)
  expect(answer.statusCode).toBe(400)
  expect(JSON.parse(answer.body)).toEqual({ error: expect.stringContaining(name) })
})

test('rejects a missing or wrong token with 401', async () => {
  const { client } = await start(1)
  for (const token of ['wrong', undefined]) {
    const answer = await client.get('ListProducts', { headers: { token } })
    expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([401, { error: 'wrong token' }])
  }
})

test('requires token and credentials for BASIC', async () => {
  const { client } = await start(1, { authType: 'BASIC', username: 'shop', password: 'пароль' })
  const authorization = `Basic ${Buffer.from('shop:пароль').toString('base64')}`
  expect((await client.get('ListBrands')).statusCode).toBe(401)
  expect((await client.get('ListBrands', { headers: { authorization, token: 'wrong' } })).statusCode).toBe(401)
  expect((await client.get('ListBrands', { headers: { authorization } })).statusCode).toBe(200)
})

test('responds 404 to an unknown method', async () => {
  const { client } = await start(1)
  const answer = await client.get('ListEverything')
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([404, { error: 'no such method' }])
})

test('changes products and lists orders over HTTP, if wanted', async () => {
  const { client, supplier } = await start(5, { control: true })
  const prefixUrl = supplier.siteUrl
  const { changed } = await client.post('demo/changes?count=2', { prefixUrl }).json<{ changed: string[] }>()
  expect(changed).toHaveLength(2)
  expect(idsOf(await listProducts(client, { dateFrom: '01.04.2026 00:00:00.000' })).toSorted()).toEqual(
    changed.toSorted(),
  )
  expect((await client.post('demo/changes?count=0', { prefixUrl })).statusCode).toBe(400)
  expect(await client.get('demo/orders', { prefixUrl }).json()).toEqual([])
  const other = await start(1)
  expect((await other.client.get('demo/orders', { prefixUrl: other.supplier.siteUrl })).statusCode).toBe(404)
})

test('close does not wait for an open connection', async () => {
  const { supplier } = await start(1)
  const socket = connect(Number(new URL(supplier.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  await supplier.close()
  await supplier.close()
  await closed
})

test('rejects a port in use and an unknown time zone', async () => {
  const { supplier, catalogue } = await start(1)
  const port = Number(new URL(supplier.url).port)
  await expect(startDemoSupplier({ catalogue, port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await expect(startDemoSupplier({ catalogue, timeZone: 'Mars/Base' })).rejects.toThrow('Mars/Base')
})
