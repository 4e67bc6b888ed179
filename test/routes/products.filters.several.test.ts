import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProductPage } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// docs/search.md, "Lists".
let shop: TestShop
let admin: string
const brands: number[] = []
const tags: number[] = []
let parent: number
let child: number
let products: number[]

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  const rows = await db
    .insertInto('tags')
    .values([
      { name: 'Новинки', slug: 'new', enabled: true },
      { name: 'Акции', slug: 'sale', enabled: true },
    ])
    .returning('id')
    .execute()
  tags.push(...rows.map(({ id }) => id))
  await db
    .insertInto('slug_history')
    .values([
      { kind: 'tag', slug: 'new', base: 'new', suffix: 1, entity_id: tags[0] ?? 0 },
      { kind: 'tag', slug: 'sale', base: 'sale', suffix: 1, entity_id: tags[1] ?? 0 },
    ])
    .execute()
  brands.push(await createBrand(db), await createBrand(db))
  parent = await createCategory(db, { slug: 'parents' })
  child = await createCategory(db, { slug: 'children', parentId: parent })
  const [brandId = 0, otherBrand = 0] = brands
  products = [
    await createProduct(db, { brandId, categoryId: child }),
    await createProduct(db, { brandId: otherBrand, categoryId: child }),
    await createProduct(db),
    await createProduct(db),
  ]
  const [one = 0, two = 0] = products
  const [first = 0, second = 0] = tags
  await db
    .insertInto('product_tags')
    .values([
      { product_id: one, tag_id: first },
      { product_id: two, tag_id: second },
      { product_id: two, tag_id: first },
    ])
    .execute()
})
afterAll(() => shop.close())

async function list(query: string) {
  const answer = await shop.call('GET', `/api/v1/products?${query}`)
  return { status: answer.status, ...(answer.body as ProductPage) }
}
const idsOf = async (query: string) => (await list(query)).content.map(({ id }) => id)

test('takes several values of a filter, repeated or separated by commas', async () => {
  const both = products.slice(0, 2)
  for (const query of [
    `brandId=${brands}`,
    `brandId=${brands.join('&brandId=')}`,
    `tagId=${tags}`,
    `tagId=${tags.join('&tagId=')}`,
    `ids=${both.join('&ids=')}`,
    'tagSlug=new',
    `tagId=${tags[0]}&tagSlug=new`,
  ])
    expect([query, await idsOf(query)]).toEqual([query, both])
  expect(await idsOf(`tagId=${tags[1]}`)).toEqual([products[1]])
  expect(await idsOf('tagSlug=sale')).toEqual([products[1]])
  for (const query of ['tagSlug=no-such', 'categorySlug=no-such']) expect(await idsOf(query)).toEqual([])
})

test.each(['brandId=1&brandId=x', 'tagId=x', 'tagId=0', 'ids=1&ids=-1', 'without=image,nothing'])(
  'rejects %s and names it',
  async (query) => {
    const { status, body } = await shop.call('GET', `/api/v1/products?${query}`)
    expect([status, body]).toMatchObject([400, { details: [{ path: `querystring.${query.split('=')[0]}` }] }])
  },
)

test('lists a category by its slug, a former one too', async () => {
  const both = products.slice(0, 2)
  expect(await idsOf('categorySlug=parents')).toEqual(both)
  expect(await idsOf(`categorySlug=children&categoryId=${child}`)).toEqual(both)
  expect(await idsOf(`categorySlug=children&categoryId=${parent}`)).toEqual([])
  await shop.call('PUT', `/api/v1/categories/${child}/slug`, { token: admin, body: { slug: 'renamed' } })
  for (const slug of ['children', 'renamed']) expect(await idsOf(`categorySlug=${slug}`)).toEqual(both)
})

test('pages after an id neither repeat nor skip a product while others go', async () => {
  const [a, b, c, d] = products
  const page = (query: string) => list(`size=2&sort=id&${query}`)
  expect(await page('')).toMatchObject({ content: [{ id: a }, { id: b }], totalElements: 4, last: false })
  await shop.call('DELETE', `/api/v1/products/${a}`, { token: admin })
  expect(await page(`after=${b}`)).toMatchObject({ content: [{ id: c }, { id: d }], totalElements: 2, last: true })
  expect(await idsOf(`after=${c}`)).toEqual([d])
  expect(await idsOf(`sort=id,desc&after=${c}`)).toEqual([b])
  for (const query of ['sort=price&after=1', 'search=product&after=1', 'after=x']) {
    const { status, body } = await shop.call('GET', `/api/v1/products?${query}`)
    expect([query, status, body]).toMatchObject([query, 400, { details: [{ path: expect.stringContaining('after') }] }])
  }
})
