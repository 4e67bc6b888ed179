import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import type { ChangeKind } from '../../../src/runtime/changes/changes.ts'
import type { Product } from '../../../src/schemas/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// Lists are put together of products that are held as JSON; what these are made of may change.
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

async function heldProduct() {
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

const announce = (kind: ChangeKind, id: number) =>
  shop.deps.changes.publish([{ kind, ids: new Set([id]) }], 'here')

test('a list shows its products with what their category, brand and settings say now', async () => {
  const { categoryId, brandId, shown } = await heldProduct()
  const both = async (expected: object) => {
    for (const token of [undefined, admin]) expect(await shown(token)).toMatchObject(expected)
  }
  await both({ category: { name: 'Drills' }, brand: { name: 'Acme' } })
  await shop.call('PUT', `/api/v1/categories/${categoryId}`, { token: admin, body: { name: 'Hammers' } })
  await both({ category: { name: 'Hammers' } })
  await shop.deps.db.updateTable('brands').set({ name: 'Acme & Sons' }).where('id', '=', brandId).execute()
  await announce('brand', brandId)
  await both({ brand: { name: 'Acme & Sons' } })
  const body = { value: '{brand} of {siteName}' }
  await shop.call('PUT', '/api/v1/admin/config/seo_product_title_template', { token: admin, body })
  await both({ seo: { title: expect.stringMatching(/^Acme & Sons of /) } })
})

test('what was put together from a name that changed meanwhile is not held', async () => {
  const { categoryId, brandId, shown } = await heldProduct()
  // The category is held, the brands are read anew: the answer waits between the two.
  await announce('brand', brandId)
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
