import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import type { ChangeKind } from '../../../src/runtime/changes/changes.ts'
import type { Product } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// Lists are put together of cached products, whose JSON also shows categories, brands and settings.
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

async function cachedProduct() {
  const categoryId = await createCategory(shop.deps.db, { name: 'Drills' })
  const brandId = await createBrand(shop.deps.db, 'Acme')
  const id = await createProduct(shop.deps.db, { categoryId, brandId })
  shop.deps.caches.clear()
  const shown = async (token?: string): Promise<Product | undefined> => {
    const { body } = await shop.call('GET', `/api/v1/products?categoryId=${categoryId}`, {
      ...(token === undefined ? {} : { token }),
    })
    return (body as { content: Product[] }).content[0]
  }
  await shown()
  await shown(admin)
  return { id, categoryId, brandId, shown }
}

const publish = (kind: ChangeKind, id: number) =>
  shop.deps.changes.publish([{ kind, ids: new Set([id]) }], 'here')

test('shows current categories, brands and settings in lists', async () => {
  const { categoryId, brandId, shown } = await cachedProduct()
  const both = async (expected: object) => {
    for (const token of [undefined, admin]) expect(await shown(token)).toMatchObject(expected)
  }
  await both({ category: { name: 'Drills' }, brand: { name: 'Acme' } })
  await shop.call('PUT', `/api/v1/categories/${categoryId}`, { token: admin, body: { name: 'Hammers' } })
  await both({ category: { name: 'Hammers' } })
  await shop.deps.db.updateTable('brands').set({ name: 'Acme & Sons' }).where('id', '=', brandId).execute()
  await publish('brand', brandId)
  await both({ brand: { name: 'Acme & Sons' } })
  const body = { value: '{brand} of {siteName}' }
  await shop.call('PUT', '/api/v1/admin/config/seo_product_title_template', { token: admin, body })
  await both({ seo: { title: expect.stringMatching(/^Acme & Sons of /) } })
})

test('does not cache a product loaded while its category is renamed', async () => {
  const { categoryId, brandId, shown } = await cachedProduct()
  // The category is cached, the brand is not: the request waits between the two.
  await publish('brand', brandId)
  let waiting: Promise<unknown> | undefined
  const lock = (trx: Trx) => sql`lock table brands in access exclusive mode`.execute(trx)
  await whileLocked(shop.deps.db, lock, async () => {
    waiting = shown()
    await untilWaiting(shop.deps.db)
    await shop.call('PUT', `/api/v1/categories/${categoryId}`, { token: admin, body: { name: 'Hammers' } })
  })
  await waiting
  expect(await shown()).toMatchObject({ category: { name: 'Hammers' } })
})
