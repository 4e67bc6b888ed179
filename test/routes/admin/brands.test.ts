import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Brand } from '../../../src/schemas/brands.ts'
import type { ProductCard } from '../../../src/schemas/products.ts'
import { storeImage } from '../../../src/services/media/store.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createProduct, imageAddress } from '../../support/factories.ts'
import { newImage } from '../../support/images.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

const BRANDS = '/api/v1/brands'

let shop: TestShop
let other: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const put = (id: number, body: object) => shop.call('PUT', `/api/v1/admin/brands/${id}`, { token: admin, body })
const bySlug = async (slug: string, on = shop) => {
  const { status, headers, body } = await on.call('GET', `${BRANDS}/by-slug/${slug}`)
  return status === 301 ? [headers.get('location'), headers.get('cache-control')] : ((body as Brand).id ?? status)
}
async function addImage(): Promise<number> {
  return (await storeImage(shop.deps, { bytes: await newImage(), fileName: 'logo.png' })).id
}

test('shows an edit in brands and products on all instances', async () => {
  const id = await createBrand(shop.deps.db, 'Acme')
  const productId = await createProduct(shop.deps.db, { brandId: id })
  const imageId = await addImage()
  for (const { deps } of [shop, other]) deps.caches.clear()
  const shown = async (on: TestShop) => {
    const listed = ((await on.call('GET', BRANDS)).body as Brand[]).find((brand) => brand.id === id)
    const { body } = await on.call('GET', `${BRANDS}/${id}`)
    const card = (await on.call('GET', `/api/v1/products/${productId}`)).body as ProductCard
    return { listed, single: body, link: card.brand, page: await bySlug('acme-tools', on) }
  }
  // An answer is cached when it is asked for the second time.
  for (const on of [shop, other, shop, other])
    expect(await shown(on)).toMatchObject({ single: { name: 'Acme' }, page: 404 })
  const description = '<h2>Since 1949</h2><script>alert(1)</script><a href="javascript:x">Site</a>'
  const { status, body } = await put(id, { name: '  Acme\nTools ', slug: 'acme-tools', description, imageId })
  const brand = {
    id,
    externalId: expect.any(String),
    name: 'Acme Tools',
    slug: 'acme-tools',
    productCount: 1,
    description: '<h2>Since 1949</h2>Site',
    imageUrl: await imageAddress(shop.deps.db, imageId),
    seo: { title: 'Acme Tools — Shop', description: 'Acme Tools. Shop' },
    canonicalPath: '/brands/acme-tools',
  }
  expect([status, body]).toEqual([200, { ...brand, imageId, supplierName: 'Acme', version: 2 }])
  const link = { id, name: 'Acme Tools', slug: 'acme-tools' }
  const expected = { listed: brand, single: brand, link, page: id }
  expect(await shown(shop)).toEqual(expected)
  await expect.poll(() => shown(other), SOON).toEqual(expected)
  expect((await shop.call('GET', `${BRANDS}/${id}`, { token: admin })).body).toEqual(body)
})

test('keeps absent fields, clears others and audits what differs', async () => {
  const id = await createBrand(shop.deps.db, 'Zubr')
  const imageId = await addImage()
  await put(id, { name: 'Zubr', slug: 'zubr', description: 'Tools & more', imageId })
  expect((await put(id, { name: 'Зубр' })).body).toMatchObject({
    name: 'Зубр',
    slug: 'zubr',
    description: 'Tools & more',
    imageId,
    supplierName: 'Zubr',
  })
  expect((await put(id, { name: 'Zubr', description: ' ', imageId: null })).body).toMatchObject({
    name: 'Zubr',
    slug: 'zubr',
    description: null,
    imageId: null,
    imageUrl: null,
    supplierName: null,
  })
  const entries = await shop.deps.db
    .selectFrom('audit_log')
    .select(['action', 'before', 'after'])
    .where('entity', '=', 'BRAND')
    .where('entity_id', '=', String(id))
    .orderBy('id')
    .execute()
  expect(entries.slice(1)).toEqual([
    { action: 'UPDATE', before: { name: 'Zubr' }, after: { name: 'Зубр' } },
    {
      action: 'UPDATE',
      before: { name: 'Зубр', description: 'Tools & more', imageId },
      after: { name: 'Zubr', description: null, imageId: null },
    },
  ])
})

test('redirects from former slugs in one hop, and refuses those of other brands', async () => {
  const [id, rival] = [await createBrand(shop.deps.db), await createBrand(shop.deps.db)]
  for (const slug of ['one', 'two', 'three']) await put(id, { name: 'Moving', slug })
  const moved = (slug: string) => [`${BRANDS}/by-slug/${slug}`, 'no-cache']
  for (const slug of ['one', 'two']) expect(await bySlug(slug)).toEqual(moved('three'))
  for (const slug of ['one', 'three'])
    expect(await put(rival, { name: 'Rival', slug })).toMatchObject({
      status: 409,
      body: { code: 'SLUG_TAKEN' },
    })
  await put(id, { name: 'Moving', slug: 'one' })
  expect([await bySlug('one'), await bySlug('three')]).toEqual([id, moved('one')])
  await createProduct(shop.deps.db, { slug: 'only-a-product' })
  for (const slug of ['only-a-product', 'x'.repeat(121), '%00', '%D0%B6']) expect(await bySlug(slug)).toBe(404)
  expect((await shop.call('GET', '/brands/by-slug/one')).status).toBe(401)
})

test('gives a slug to one of two brands that want it at the same time', async () => {
  const ids = [await createBrand(shop.deps.db), await createBrand(shop.deps.db)]
  const answers = await whileLocked(shop.deps.db, 'brandSlugs', async () => {
    const pending = ids.map((id) => put(id, { name: 'Wanted', slug: 'wanted' }))
    await untilWaiting(shop.deps.db, 2)
    return pending
  })
  expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test.each([
  [{}, ['name']],
  [{ name: ' ', slug: 'Not a slug' }, ['name', 'slug']],
  [{ name: 'A', slug: 'Not a slug', imageId: 0 }, ['slug', 'imageId']],
  [{ name: 'A', imageId: 2_000_000_000 }, ['imageId']],
  [{ name: 'A', slug: 'admin' }, ['slug']],
  [{ name: 'A', imageId: 0 }, ['imageId']],
  [{ name: 'A', description: 5 }, ['description']],
])('rejects %j and names %j', async (body, fields) => {
  const id = await createBrand(shop.deps.db)
  const details = fields.map((path) => expect.objectContaining({ path }))
  expect(await put(id, body)).toMatchObject({ status: 400, body: { details } })
  expect((await put(2_000_000_000, { name: 'A' })).status).toBe(404)
})

test('counts as a use of its image, which is unlinked when it is deleted by force', async () => {
  const id = await createBrand(shop.deps.db, 'Pictured')
  const imageId = await addImage()
  await put(id, { name: 'Pictured', slug: 'pictured', imageId })
  const path = `/api/v1/images/${imageId}`
  const listed = async (unused: boolean) =>
    (await shop.call('GET', `/api/v1/images?unused=${unused}&size=100`, { token: admin })).body as {
      content: { id: number; usedBy: object[] }[]
    }
  const image = expect.objectContaining({ id: imageId, usedBy: [{ type: 'BRAND', id, name: 'Pictured' }] })
  expect((await listed(false)).content).toContainEqual(image)
  expect((await listed(true)).content).not.toContainEqual(image)
  expect(await shop.call('DELETE', path, { token: admin })).toMatchObject({
    status: 409,
    body: { code: 'IMAGE_IN_USE', details: [{ path: 'usedBy.0', message: `Brand ${id}: Pictured` }] },
  })
  const imageUrl = async (on: TestShop) => ((await on.call('GET', `${BRANDS}/${id}`)).body as Brand).imageUrl
  const address = await imageAddress(shop.deps.db, imageId)
  for (const on of [shop, other, shop, other]) expect(await imageUrl(on)).toBe(address)
  expect((await shop.call('DELETE', `${path}?force=true`, { token: admin })).status).toBe(204)
  expect(await imageUrl(shop)).toBeNull()
  await expect.poll(() => imageUrl(other), SOON).toBeNull()
})
