import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SlugKind } from '../../db/tables/catalogue.ts'
import { loginAs } from '../support/accounts.ts'
import { createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function rename(kind: SlugKind, id: number, slug: string): Promise<void> {
  const { db } = shop.deps
  const table = kind === 'product' ? 'products' : 'categories'
  await db.updateTable(table).set({ slug }).where('id', '=', id).execute()
  await db
    .insertInto('slug_history')
    .values({ kind, slug, entity_id: id, base: slug, suffix: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  shop.deps.caches.clear()
}

test.each(['', '/api/v1'])(
  'finds a product by its slug with the prefix %j, and redirects from a former one',
  async (prefix) => {
    const name = prefix === '' ? 'plain' : 'prefixed'
    const id = await createProduct(shop.deps.db, { slug: `${name}-one` })
    const card = await shop.call('GET', `/api/v1/products/${id}`)
    const path = `${prefix}/products/by-slug/${name}`
    expect((await shop.call('GET', `${path}-one`)).text).toBe(card.text)

    await rename('product', id, `${name}-two`)
    await rename('product', id, `${name}-three`)
    for (const old of ['one', 'two']) {
      const moved = await shop.call('GET', `${path}-${old}`)
      expect([moved.status, moved.headers.get('location')]).toEqual([301, `${path}-three`])
      expect(moved.headers.get('cache-control')).toBe('no-cache')
    }
    expect((await shop.call('GET', `${path}-three`)).body).toMatchObject({ id, slug: `${name}-three` })

    await rename('product', id, `${name}-one`)
    expect((await shop.call('GET', `${path}-one`)).status).toBe(200)
    expect((await shop.call('GET', `${path}-three`)).headers.get('location')).toBe(`${path}-one`)
  },
)

test('hides an inactive product from the public under each of its slugs', async () => {
  const id = await createProduct(shop.deps.db, { slug: 'gone', supplierActive: false })
  await rename('product', id, 'gone-now')
  for (const slug of ['gone', 'gone-now']) {
    expect((await shop.call('GET', `/products/by-slug/${slug}`)).status).toBe(404)
  }
  expect((await shop.call('GET', '/products/by-slug/gone', { token: editor })).status).toBe(301)
  expect((await shop.call('GET', '/products/by-slug/gone-now', { token: editor })).body).toMatchObject({ id })
})

test.each(['', '/api/v1'])('finds a visible category the same way with the prefix %j', async (prefix) => {
  const slug = prefix === '' ? 'shelf' : 'shelves'
  const id = await createCategory(shop.deps.db, { slug, name: 'Shelf' })
  const path = `${prefix}/categories/by-slug/`
  const found = await shop.call('GET', path + slug)
  expect(found.body).toMatchObject({ id, slug, visible: true, productCount: 0, seoTextDoc: null })
  expect(found.body).not.toHaveProperty('hiddenReason')
  await rename('category', id, `${slug}-new`)
  const moved = await shop.call('GET', path + slug)
  expect([moved.status, moved.headers.get('location')]).toEqual([301, `${path}${slug}-new`])
  expect(moved.headers.get('cache-control')).toBe('no-cache')
})

test('hides a hidden category and its descendants from the public', async () => {
  const { db } = shop.deps
  const hidden = await createCategory(db, { slug: 'hidden', enabled: false })
  await createCategory(db, { slug: 'below-hidden', parentId: hidden })
  for (const slug of ['hidden', 'below-hidden']) {
    expect((await shop.call('GET', `/categories/by-slug/${slug}`)).status).toBe(404)
    const forStaff = await shop.call('GET', `/categories/by-slug/${slug}`, { token: editor })
    expect(forStaff.body).toMatchObject({ slug, visible: false, hiddenReason: null })
  }
})

test('keeps kinds apart and answers odd slugs with 404', async () => {
  await createProduct(shop.deps.db, { slug: 'only-a-product' })
  expect((await shop.call('GET', '/categories/by-slug/only-a-product')).status).toBe(404)
  for (const slug of ['nothing', 'x'.repeat(121), '%00', '%25', "'--", '%D0%B6', '..%2F..', 'constructor']) {
    for (const noun of ['products', 'categories']) {
      const answer = await shop.call('GET', `/api/v1/${noun}/by-slug/${slug}`)
      expect([slug, answer.status]).toEqual([slug, 404])
    }
  }
})
