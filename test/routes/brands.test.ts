import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrand, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('lists brands by name with their active products counted', async () => {
  const { db } = shop.deps
  const zubr = await createBrand(db, 'Зубр')
  const acme = await createBrand(db, 'acme')
  const bosch = await createBrand(db, 'Bosch')
  await createProduct(db, { brandId: zubr })
  await createProduct(db, { brandId: zubr })
  await createProduct(db, { brandId: zubr, supplierActive: false })
  shop.deps.caches.clear()
  const { body } = await shop.call('GET', '/api/v1/brands')
  const bare = {
    externalId: expect.any(String),
    slug: expect.any(String),
    description: null,
    imageUrl: null,
    seo: expect.any(Object),
    canonicalPath: expect.any(String),
  }
  expect(body).toEqual([
    { ...bare, id: zubr, name: 'Зубр', productCount: 2 },
    { ...bare, id: acme, name: 'acme', productCount: 0 },
    { ...bare, id: bosch, name: 'Bosch', productCount: 0 },
  ])
  expect((await shop.call('GET', `/api/v1/brands/${zubr}`)).body).toMatchObject({ id: zubr, productCount: 2 })
})

test.each([
  ['2147483647', 404],
  ['2147483648', 404],
  ['0', 404],
  ['x', 400],
])('responds to brand %s with %d', async (id, status) => {
  expect((await shop.call('GET', `/api/v1/brands/${id}`)).status).toBe(status)
})
