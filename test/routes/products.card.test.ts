import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('adds attributes and breadcrumbs on the card', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Top', slug: 'top' })
  const below = await createCategory(db, { name: 'Below', slug: 'below', parentId: top })
  const id = await createProduct(db, {
    categoryId: below,
    stock: 0,
    attributes: [
      { name: 'Colour', value: 'red' },
      { name: 'Colour', value: 'crimson', source: 'MANUAL' },
      { name: 'Weight', value: '1 kg' },
    ],
  })
  const attributes = [
    { name: 'Colour', value: 'crimson', source: 'MANUAL' },
    { name: 'Weight', value: '1 kg', source: 'EXTERNAL' },
  ]
  const card = await shop.call('GET', `/api/v1/products/${id}`)
  expect(card.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(card.body).toMatchObject({
    id,
    available: false,
    attributes,
    breadcrumbs: [
      { id: top, name: 'Top', slug: 'top' },
      { id: below, name: 'Below', slug: 'below' },
    ],
  })
  expect((await shop.call('GET', `/api/v1/products/${id}/attributes`)).body).toEqual(attributes)
})

test.each(['2147483647', '2147483648', '99999999999999999999', '0', '9'.repeat(400)])(
  'answers the card of %s with 404',
  async (id) => {
    for (const path of [`/api/v1/products/${id}`, `/api/v1/products/${id}/attributes`]) {
      const answer = await shop.call('GET', path)
      expect([answer.status, answer.body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
    }
  },
)

test('builds the SEO texts from overrides and settings', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Lamp', price: null })
  await shop.deps.db.updateTable('products').set({ meta_title: 'Own title' }).where('id', '=', id).execute()
  const card = await shop.call('GET', `/api/v1/products/${id}`)
  expect(card.body).toMatchObject({ seo: { title: 'Own title', description: 'Lamp. Shop' } })
})
