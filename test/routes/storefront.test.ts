import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let shop: TestShop
let brandSlug: string

beforeAll(async () => {
  shop = await startTestShop({ STOREFRONT_ENABLED: 'true', SUPPLIER_BASE_URL: 'http://127.0.0.1:9' })
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Drills', slug: 'drills' })
  const brandId = await createBrand(db, 'Acme')
  const productId = await createProduct(db, { name: 'Drill', slug: 'drill', categoryId, brandId })
  brandSlug = Object((await shop.call('GET', `/api/v1/brands/${brandId}`)).body).slug
  const token = await loginAs(shop, 'ADMIN')
  await shop.call('POST', '/api/v1/tags', { token, body: { name: 'Sale', slug: 'sale' } })
  await shop.call('PUT', `/api/v1/products/${productId}/slug`, { token, body: { slug: 'new-drill' } })
})
afterAll(() => shop.close())

async function open(path: string, headers: Record<string, string> = BROWSER) {
  const response = await fetch(shop.url + path, { headers, redirect: 'manual' })
  return { status: response.status, text: await response.text(), header: (name: string) => response.headers.get(name) }
}

test('its own pages, and those that mails name, are one page for the browser', async () => {
  const paths = ['/', '/categories', '/brands', '/search?q=drill', '/cart', '/checkout', '/account', '/contact']
  for (const path of [...paths, '/forgot-password', '/reset-password?token=x', '/order/some-token']) {
    const page = await open(path)
    expect([path, page.status, page.header('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(page.text).toContain('/assets/storefront-')
    expect(page.header('content-security-policy')).toContain("script-src 'self';")
    expect(page.header('cache-control')).toBe('no-cache')
  }
})

test('pages of records say whether there is one, and former slugs lead to the current', async () => {
  for (const path of ['/products/new-drill', '/categories/drills', `/brands/${brandSlug}`, '/tags/sale']) {
    expect([path, (await open(path)).status]).toEqual([path, 200])
  }
  const gone = await open('/products/none')
  expect([gone.status, gone.text.includes('<div id="root">')]).toEqual([404, true])
  const moved = await open('/products/drill')
  expect([moved.status, moved.header('location')]).toEqual([301, '/products/new-drill'])
})

test('programs get what they got before', async () => {
  const root = await open('/', { accept: '*/*' })
  expect([root.status, root.header('location'), root.header('vary')]).toEqual([302, '/swagger-ui.html', 'Accept'])
  const tag = await open('/tags/sale', { accept: 'application/json' })
  expect([tag.status, JSON.parse(tag.text).slug]).toEqual([200, 'sale'])
  expect(tag.header('vary')).toContain('Accept,')
  expect(JSON.parse((await open('/products/by-slug/new-drill')).text).slug).toBe('new-drill')
  for (const path of ['/none', '/cart/none', '/api/v1/none']) expect((await open(path)).status).toBe(401)
})

test('a shop with a real supplier has no storefront unless it is asked for', async () => {
  const without = await startTestShop({ SUPPLIER_BASE_URL: 'http://127.0.0.1:9' })
  try {
    const root = await fetch(without.url, { headers: BROWSER, redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/swagger-ui.html'])
    expect((await fetch(`${without.url}/cart`, { headers: BROWSER })).status).toBe(401)
  } finally {
    await without.close()
  }
})
