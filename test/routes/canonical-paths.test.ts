import { afterAll, beforeAll, expect, test } from 'vitest'
import { rebuild } from '../../src/services/published/publishing.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createImage, createProduct, markSynchronised } from '../support/factories.ts'
import { setSetting } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string
let productId: number
let parent: number
let child: number

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example' }, { publishes: true })
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  parent = await createCategory(db, { name: 'Tools', slug: 'tools' })
  child = await createCategory(db, { name: 'Drills', slug: 'drills', parentId: parent })
  await markSynchronised(db)
  const brandId = await createBrand(db, 'Tarmeks')
  productId = await createProduct(db, { name: 'Drill', categoryId: child, brandId, slug: 'drill' })
  await shop.call('PUT', `/api/v1/admin/brands/${brandId}`, {
    token: admin,
    body: { name: 'Tarmeks', slug: 'tarmeks' },
  })
})
afterAll(() => shop.close())

const get = async (path: string, token?: string) => (await shop.call('GET', `/api/v1/${path}`, { token })).body

test.each([
  ['/products/{slug}', '/products/drill'],
  ['/p/{id}?utm_source=feed#top', '/p/ID'],
  ['/p?id={id}', '/p?id=ID'],
  ['https://m.shop.example/{slug}.html', 'https://m.shop.example/drill.html'],
])('a card and the sitemap name the page of %s', async (pattern, path) => {
  await setSetting(shop, admin, 'feed_product_url', pattern)
  const canonicalPath = path.replace('ID', String(productId))
  expect(await get('products/by-slug/drill')).toMatchObject({ canonicalPath })
  expect(await get(`products/${productId}`, admin)).toMatchObject({ canonicalPath })
  const address = new URL(canonicalPath, 'https://shop.example').href
  await rebuild(shop.deps, 'sitemap')
  expect((await shop.call('GET', '/sitemap.xml')).text).toContain(`<loc>${address}</loc>`)
})

test('a category by its slug has its path, and its way from the root', async () => {
  const breadcrumbs = [
    { id: parent, name: 'Tools', slug: 'tools' },
    { id: child, name: 'Drills', slug: 'drills' },
  ]
  const shown = { canonicalPath: '/categories/drills', breadcrumbs }
  expect(await get('categories/by-slug/drills')).toMatchObject(shown)
  expect(await get('categories/by-slug/drills', admin)).toMatchObject({ ...shown, version: 1 })
  await shop.call('PUT', `/api/v1/categories/${parent}`, { token: admin, body: { name: 'Power tools' } })
  expect(await get('categories/by-slug/drills')).toMatchObject({
    breadcrumbs: [{ name: 'Power tools' }, { name: 'Drills' }],
  })
})

test('a brand has its path, and texts by templates that staff edit', async () => {
  const seo = { title: 'Tarmeks — Shop', description: 'Tarmeks. Shop' }
  const shown = { canonicalPath: '/brands/tarmeks', seo }
  expect(await get('brands/by-slug/tarmeks')).toMatchObject(shown)
  expect(await get('brands')).toMatchObject([shown])
  expect(await get('brands', admin)).toMatchObject([shown])
  await setSetting(shop, admin, 'seo_brand_title_template', 'Buy {name} at {siteName}')
  expect(await get('brands/by-slug/tarmeks')).toMatchObject({ seo: { title: 'Buy Tarmeks at Shop' } })
})

test('a tag has its path', async () => {
  await shop.call('POST', '/api/v1/tags', { token: admin, body: { name: 'Garden', slug: 'garden' } })
  expect(await get('tags/by-slug/garden')).toMatchObject({ canonicalPath: '/tags/garden' })
})

test('a banner has the size of its image, and what stands for it', async () => {
  const imageId = await createImage(shop.deps.db)
  const { body } = await shop.call('POST', '/api/v1/banner-blocks', { token: admin, body: { title: 'Sale', imageId } })
  const { imageUrl } = body as { imageUrl: string }
  const image = { url: imageUrl, width: expect.any(Number), height: expect.any(Number), alt: 'Sale' }
  expect(body).toMatchObject({ image })
  expect(await get('banner-blocks/active')).toMatchObject([{ imageUrl, image }])
})
