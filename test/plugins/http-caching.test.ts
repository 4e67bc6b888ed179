import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawBytes } from '../../bench/http-cases.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
/** Another instance on the same database. */
let other: TestShop
let staff: string
let customer: string
let productId: number
let categoryId: number
let brandId: number
let brandSlug: string

beforeAll(async () => {
  shop = await startTestShop({ CORS_ALLOWED_ORIGINS: 'https://shop.example', CACHE_MAX_AGE_SECONDS: '60' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  const { db } = shop.deps
  categoryId = await createCategory(db, { name: 'Drills', slug: 'drills', showInHomepage: true })
  brandId = await createBrand(db, 'Acme')
  brandSlug = Object((await shop.call('GET', `/api/v1/brands/${brandId}`)).body).slug
  productId = await createProduct(db, { name: 'Drill', slug: 'drill', categoryId, brandId })
  for (let n = 0; n < 5; n++) await createProduct(db, { name: `Drill ${n}`, categoryId, brandId })
  staff = await loginAs(shop, 'EDITOR')
  customer = await loginAs(shop, 'USER')
  await shop.call('POST', '/api/v1/tags', { token: staff, body: { name: 'Sale', slug: 'sale' } })
  const review = { author: 'Ann', rating: 5, text: 'Fine', reviewDate: '2026-11-01' }
  await shop.call('POST', '/api/v1/reviews', { token: staff, body: review })
  await shop.call('POST', '/api/v1/banner-blocks', { token: staff, body: { title: 'Sale' } })
  await shop.call('POST', '/api/v1/feature-items', { token: staff, body: { title: 'Fast' } })
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const LIST = '/api/v1/products?size=5'

async function ask(path: string, headers: Record<string, string> = {}, { at = shop, method = 'GET' } = {}) {
  const response = await fetch(at.url + path, { method, headers })
  const text = await response.text()
  const get = (name: string) => response.headers.get(name)
  return { status: response.status, text, get, etag: get('etag') ?? '' }
}

const paths = () => [
  LIST,
  '/api/v1/products/facets',
  '/api/v1/products/suggest?q=dri',
  `/api/v1/products/${productId}`,
  `/api/v1/products/${productId}/attributes`,
  '/api/v1/products/by-slug/drill',
  '/products/by-slug/drill',
  '/api/v1/categories',
  '/api/v1/categories/tree',
  '/api/v1/categories/homepage',
  '/api/v1/categories/by-slug/drills',
  '/categories/by-slug/drills',
  '/api/v1/brands',
  `/api/v1/brands/${brandId}`,
  `/api/v1/brands/by-slug/${brandSlug}`,
  '/api/v1/tags/by-slug/sale',
  '/tags/sale',
  '/api/v1/config/public',
  '/api/v1/config/site_name',
  '/api/v1/banner-blocks/active',
  '/api/v1/feature-items/active',
  '/api/v1/reviews/active',
]

test('every public answer can be revalidated, staff’s may not be stored', async () => {
  const declared = shop.app.declaredRoutes.filter(({ config, method }) => config?.cacheable && method === 'GET')
  expect(paths()).toHaveLength(declared.length)
  for (const path of paths()) {
    const headers = { 'accept-encoding': 'identity', origin: 'https://shop.example' }
    // To browsers it is a page of the storefront.
    const vary = `Origin, ${path === '/tags/sale' ? 'Accept, ' : ''}Accept-Encoding, Authorization`
    const full = await ask(path, headers)
    expect([path, full.status]).toEqual([path, 200])
    expect(full.etag).toMatch(/^"[\w-]{20,}"$/)
    expect(full.get('cache-control')).toBe('public, max-age=60, must-revalidate')
    expect(full.get('vary')).toBe(vary)

    const known = await ask(path, { ...headers, 'if-none-match': full.etag })
    expect([path, known.status, known.text, known.etag]).toEqual([path, 304, '', full.etag])
    expect(known.get('cache-control')).toBe('public, max-age=60, must-revalidate')
    expect(known.get('vary')).toBe(vary)
    expect(known.get('content-type')).toBeNull()
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)

    const byStaff = await ask(path, {
      ...headers,
      authorization: `Bearer ${staff}`,
      'if-none-match': full.etag,
    })
    expect([path, byStaff.status, byStaff.get('cache-control')]).toEqual([path, 200, 'no-store'])
    expect(byStaff.get('vary')).toBe(vary)
    expect(byStaff.get('etag')).toBeNull()
    const byCustomer = await ask(path, {
      ...headers,
      authorization: `Bearer ${customer}`,
      'if-none-match': full.etag,
    })
    expect([path, byCustomer.status]).toEqual([path, 304])

    const head = await ask(path, headers, { method: 'HEAD' })
    expect([path, head.status, head.text, head.etag]).toEqual([path, 200, '', full.etag])
    expect(Number(head.get('content-length'))).toBe(Buffer.byteLength(full.text))
    expect((await ask(path, { 'if-none-match': full.etag }, { method: 'HEAD' })).status).toBe(304)
  }
})

const decompress = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

test.each(['zstd', 'br', 'gzip'] as const)('compresses with %s under an ETag of its own', async (encoding) => {
  const plain = await ask(LIST, { 'accept-encoding': 'identity' })
  expect(plain.get('content-encoding')).toBeNull()
  const head = await ask(LIST, { 'accept-encoding': encoding }, { method: 'HEAD' })
  expect(head.get('content-encoding')).toBe(encoding)
  expect(head.etag).toBe(plain.etag.replace(/"$/, `-${encoding}"`))
  for (let n = 0; n < 3; n++) {
    const bytes = await rawBytes(shop.url + LIST, { 'accept-encoding': encoding })
    expect(decompress[encoding](bytes).toString()).toBe(plain.text)
    expect(Number(head.get('content-length'))).toBe(bytes.byteLength)
    expect(bytes.byteLength).toBeLessThan(plain.text.length / 2)
  }
  // A copy in any encoding is current.
  for (const etag of [plain.etag, head.etag]) {
    for (const accepted of ['identity', 'gzip', 'br']) {
      const known = await ask(LIST, { 'accept-encoding': accepted, 'if-none-match': etag })
      expect([known.status, known.get('content-encoding')]).toEqual([304, null])
      expect(known.etag).toBe(etag)
    }
  }
})

test('sends small answers, refusals and staff’s answers as they are', async () => {
  const headers = { 'accept-encoding': 'gzip' }
  const answers = [
    await ask('/api/v1/config/site_name', headers),
    await ask('/api/v1/products/999999', headers),
    await ask(LIST, { ...headers, authorization: `Bearer ${staff}` }),
  ]
  expect(answers.map(({ status, get }) => [status, get('content-encoding')])).toEqual([
    [200, null],
    [404, null],
    [200, null],
  ])
  expect(answers[1]?.get('etag')).toBeNull()
})

test('a change on one instance ends every 304 of the other at once', async () => {
  const changes: [method: string, path: string, body: object, stale: string][] = [
    ['PATCH', `/api/v1/products/${productId}`, { sitePrice: 12.5 }, LIST],
    ['PATCH', `/api/v1/products/${productId}`, { sitePrice: 13.5 }, `/api/v1/products/${productId}`],
    ['PUT', `/api/v1/categories/${categoryId}`, { name: 'Hammers' }, '/api/v1/categories/tree'],
    ['POST', '/api/v1/banner-blocks', { title: 'More' }, '/api/v1/banner-blocks/active'],
    ['POST', '/api/v1/feature-items', { title: 'More' }, '/api/v1/feature-items/active'],
    [
      'POST',
      '/api/v1/reviews',
      { author: 'Bob', rating: 4, text: 'Good', reviewDate: '2026-11-02' },
      '/api/v1/reviews/active',
    ],
    ['PUT', '/api/v1/admin/config/site_name', { value: 'New name' }, '/api/v1/config/public'],
  ]
  const admin = await loginAs(shop, 'ADMIN')
  for (const [method, path, body, stale] of changes) {
    for (let n = 0; n < 3; n++) await ask(stale, {}, { at: other })
    const { etag } = await ask(stale, {}, { at: other })
    expect([stale, (await ask(stale, { 'if-none-match': etag }, { at: other })).status]).toEqual([stale, 304])
    const changed = await shop.call(method, path, { token: admin, body })
    expect([path, changed.status < 300]).toEqual([path, true])
    const again = () => ask(stale, { 'if-none-match': etag }, { at: other })
    await expect.poll(async () => (await again()).status, { message: stale }).toBe(200)
    const fresh = await again()
    // Both instances name the same bytes alike.
    expect((await ask(stale, { 'if-none-match': fresh.etag })).status).toBe(304)
  }
})
