import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Page } from '../../src/schemas/lists.ts'
import type { Product } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createBrand, createCategory, createImage, createProduct, imageAddress } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string
let buyer: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
  buyer = await loginAs(shop, 'USER')
})
afterAll(() => shop.close())
beforeEach(() => shop.deps.caches.clear())

async function list(query: Record<string, string | number | boolean>, token?: string): Promise<Page<Product>> {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const answer = await shop.call('GET', `/api/v1/products?${search}`, token === undefined ? {} : { token })
  expect([query, answer.status, answer.text.slice(0, answer.status === 200 ? 0 : 500)]).toEqual([query, 200, ''])
  return JSON.parse(answer.text)
}

const idsOf = ({ content }: Page<Product>) => content.map(({ id }) => id)

async function refusal(query: string) {
  const { status, body } = await shop.call('GET', `/api/v1/products?${query}`)
  return { status, body }
}

test('shows exactly the documented fields of a product', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db, { name: 'Lamps', slug: 'lamps' })
  const brandId = await createBrand(db, 'Radiant')
  const id = await createProduct(db, {
    name: 'Desk lamp',
    slug: 'desk-lamp',
    externalId: 'ext-1',
    price: '1234.50',
    sitePrice: '999.90',
    stock: 3,
    description: 'Bright',
    categoryId,
    brandId,
  })
  const imageIds = await addImages(id, [5, 1])
  const tagId = await addTag(id, 'Sale', true)
  await addTag(id, 'Secret', false)

  const described = { width: 1, height: 1, alt: 'Desk lamp' }
  const page = await list({ brandId })
  expect(page).toEqual({
    content: [
      {
        id,
        externalId: 'ext-1',
        name: 'Desk lamp',
        slug: 'desk-lamp',
        description: 'Bright',
        price: 999.9,
        finalPrice: 999.9,
        oldPrice: 1234.5,
        stock: 3,
        available: true,
        active: true,
        category: { id: categoryId, name: 'Lamps', slug: 'lamps' },
        rating: null,
        brand: { id: brandId, name: 'Radiant', slug: expect.any(String) },
        images: [
          { id: imageIds[1], url: await imageAddress(db, imageIds[1] ?? 0), displayOrder: 1, ...described },
          { id: imageIds[0], url: await imageAddress(db, imageIds[0] ?? 0), displayOrder: 5, ...described },
        ],
        metaTitle: null,
        metaDescription: null,
        seo: { title: 'Desk lamp — Shop', description: 'Desk lamp, 999.90 RUB. Shop' },
        tags: [{ id: tagId, name: 'Sale', slug: 'sale' }],
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        updatedAt: expect.stringMatching(/Z$/),
      },
    ],
    totalElements: 1,
    totalPages: 1,
    number: 0,
    size: 20,
    first: true,
    last: true,
    correctedSearch: null,
  })
  const forStaff = await list({ brandId }, editor)
  expect(forStaff.content[0]?.tags.map(({ name }) => name)).toEqual(['Sale', 'Secret'])
})

test('lists a category with all its subcategories and does not name hidden ones', async () => {
  const { db } = shop.deps
  const top = await createCategory(db)
  const middle = await createCategory(db, { parentId: top, enabled: false })
  const bottom = await createCategory(db, { parentId: middle })
  const other = await createCategory(db)
  const inTop = await createProduct(db, { categoryId: top })
  const inBottom = await createProduct(db, { categoryId: bottom })
  await createProduct(db, { categoryId: other })
  const page = await list({ categoryId: top })
  expect(page.content.map(({ id, category }) => [id, category?.id ?? null])).toEqual([
    [inTop, top],
    [inBottom, null],
  ])
  expect(idsOf(await list({ categoryId: middle }))).toEqual([inBottom])
  expect((await list({ categoryId: bottom }, editor)).content[0]?.category?.id).toBe(bottom)
  expect((await list({ categoryId: 2_147_483_647 })).totalElements).toBe(0)
})

test('hides inactive products from anyone below EDITOR, whatever the parameters', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const active = await createProduct(db, { brandId })
  const inactive = await createProduct(db, { brandId, supplierActive: false })
  const banned = await createProduct(db, { brandId, activeOverride: false })
  for (const token of [undefined, buyer, 'forged']) {
    expect(idsOf(await list({ brandId }, token))).toEqual([active])
    expect(idsOf(await list({ brandId, active: true }, token))).toEqual([active])
    expect(await list({ brandId, active: false }, token)).toMatchObject({ content: [], totalElements: 0 })
    for (const path of [`/api/v1/products/${inactive}`, `/api/v1/products/${inactive}/attributes`]) {
      const answer = await shop.call('GET', path, token === undefined ? {} : { token })
      expect([path, answer.status]).toEqual([path, 404])
    }
  }
  expect(idsOf(await list({ brandId }, editor))).toEqual([active, inactive, banned])
  expect(idsOf(await list({ brandId, active: false }, editor))).toEqual([inactive, banned])
  expect(idsOf(await list({ brandId, active: true }, editor))).toEqual([active])
  expect((await shop.call('GET', `/api/v1/products/${inactive}`, { token: editor })).status).toBe(200)
  // An answer to staff is not cached for the public.
  expect(idsOf(await list({ brandId }))).toEqual([active])
})

test('filters by final price, limits included, without binary rounding', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const cheap = await createProduct(db, { brandId, price: '0.10' })
  const cut = await createProduct(db, { brandId, price: '500.00', sitePrice: '0.30' })
  await createProduct(db, { brandId, price: null })
  expect(idsOf(await list({ brandId, minPrice: 0.1, maxPrice: 0.3 }))).toEqual([cheap, cut])
  expect(idsOf(await list({ brandId, minPrice: 0.11 }))).toEqual([cut])
  expect(idsOf(await list({ brandId, maxPrice: 0.29 }))).toEqual([cheap])
  expect(idsOf(await list({ brandId, minPrice: 0, maxPrice: 9_999_999_999.99 }))).toEqual([cheap, cut])
  expect(idsOf(await list({ brandId, minPrice: 2, maxPrice: 1 }))).toEqual([])
})

test('sorts by each field in both directions, products without a price last', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const make = (name: string, price: string | null, stock: number) => createProduct(db, { brandId, name, price, stock })
  const a = await make('яблоко', '5.00', 1)
  const b = await make('Ёж', '5.00', 3)
  const c = await make('арбуз', null, 3)
  const d = await make('Жук', '1.00', 2)
  const orders: Record<string, number[]> = {
    name: [c, b, d, a],
    'name,desc': [a, d, b, c],
    'price,asc': [d, a, b, c],
    'price,desc': [b, a, d, c],
    stock: [a, d, b, c],
    'stock,desc': [c, b, d, a],
    createdAt: [a, b, c, d],
    'createdAt,desc': [d, c, b, a],
    'id,DESC': [d, c, b, a],
  }
  for (const [sort, expected] of Object.entries(orders)) {
    expect([sort, idsOf(await list({ brandId, sort }))]).toEqual([sort, expected])
  }
})

test('never repeats or skips equal rows across pages', async () => {
  const { db } = shop.deps
  const brandId = await createBrand(db)
  const all: number[] = []
  for (let n = 0; n < 11; n++) all.push(await createProduct(db, { brandId, name: 'Same', stock: 1 }))
  for (const sort of ['name', 'price,desc', 'stock', 'createdAt,desc']) {
    const seen: number[] = []
    for (let page = 0; page < 4; page++) seen.push(...idsOf(await list({ brandId, sort, page, size: 3 })))
    expect([sort, seen.sort((x, y) => x - y)]).toEqual([sort, all])
  }
  expect(await list({ brandId, page: 3, size: 3 })).toMatchObject({
    totalPages: 4,
    first: false,
    last: true,
    number: 3,
  })
  expect(await list({ brandId, page: 1_000_000, size: 100 })).toMatchObject({
    content: [],
    totalElements: 11,
    last: true,
  })
})

test.each([
  'sort=password',
  'sort=name;drop',
  'sort=name,asc,id',
  'page=-1',
  'page=1000001',
  'page=x',
  'size=0',
  'size=101',
  'categoryId=0',
  'categoryId=2147483648',
  'brandId=1.5',
  'minPrice=-1',
  'minPrice=NaN',
  'maxPrice=Infinity',
  'minPrice=1e999',
  'page=Infinity',
  'categoryId=1e999',
  'maxPrice=10000000000',
  'active=maybe',
  `search=${'x'.repeat(1001)}`,
  'search=%00',
  'page=1&page=2',
])('rejects %s with 400', async (query) => {
  expect(await refusal(query)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
})

test('names the allowed sort fields when one is unknown', async () => {
  const { body } = await refusal('sort=color')
  expect(JSON.stringify(body)).toContain('name, price, stock, createdAt, id')
})

test('answers repeated requests without SQL until a change', async () => {
  const id = await createProduct(shop.deps.db, { name: 'Before' })
  const paths = [
    `/api/v1/products/${id}`,
    '/api/v1/products?search=before',
    '/api/v1/categories/tree',
    '/api/v1/brands',
  ]
  const askAll = () => Promise.all(paths.map(async (path) => (await shop.call('GET', path)).text))
  const first = await askAll()
  expect(await askAll()).toEqual(first)
  await sql`alter table products rename to products_away`.execute(shop.deps.db)
  try {
    expect(await askAll()).toEqual(first)
  } finally {
    await sql`alter table products_away rename to products`.execute(shop.deps.db)
  }
  await shop.deps.db.updateTable('products').set({ name: 'After' }).where('id', '=', id).execute()
  shop.deps.caches.clear()
  expect((await shop.call('GET', `/api/v1/products/${id}`)).body).toMatchObject({ name: 'After' })
})

test('reads a page of any size with the same few statements', async () => {
  const brandId = await createBrand(shop.deps.db)
  for (let n = 0; n < 30; n++) await addImages(await createProduct(shop.deps.db, { brandId }), [1, 2])
  // The first list loads the index.
  await list({ brandId, search: 'product' })
  let statements = 0
  const countStatements: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1
      return result
    },
  }
  const { db } = shop.deps
  shop.deps.db = db.withPlugin(countStatements)
  try {
    expect((await list({ brandId, size: 30 }, editor)).content).toHaveLength(30)
  } finally {
    shop.deps.db = db
  }
  // One for the caller, one for the products.
  expect(statements).toBe(2)
})

async function addImages(productId: number, displayOrders: number[]): Promise<number[]> {
  const ids: number[] = []
  for (const displayOrder of displayOrders) ids.push(await createImage(shop.deps.db, { productId, displayOrder }))
  return ids
}

async function addTag(productId: number, name: string, enabled: boolean): Promise<number> {
  const { id } = await shop.deps.db
    .insertInto('tags')
    .values({ name, slug: name.toLowerCase(), enabled })
    .returning('id')
    .executeTakeFirstOrThrow()
  await shop.deps.db.insertInto('product_tags').values({ product_id: productId, tag_id: id }).execute()
  return id
}
