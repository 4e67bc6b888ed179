import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { EVERY_ACTIVE } from '../../../src/rules/catalogue/product-filter.ts'
import { readSearch } from '../../../src/rules/catalogue/search.ts'
import { UNLIMITED } from '../../../src/runtime/search/product-search.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createManyProducts, createProduct } from '../../support/factories.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// What lists and searches find while products change.
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop()
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(() => shop.close())

test('moves a product when only accents of its name change', async () => {
  const { db, productSearch } = shop.deps
  const brandId = await createBrand(db)
  const names = ['Cotea', 'Côteb', 'Cotec']
  const created: number[] = []
  for (const name of names) created.push(await createProduct(db, { name, brandId }))
  const [first = 0, second = 0, third = 0] = created
  const announce = (id: number) => shop.deps.changes.publish([{ kind: 'product', ids: new Set([id]) }])
  const list = async () => {
    const filter = { ...EVERY_ACTIVE, brandIds: [brandId], tokens: [] }
    const order = { field: 'name' as const, descending: false }
    return (await productSearch.page(filter, { order, page: 0, size: 10 }, UNLIMITED)).ids
  }
  for (const id of created) await announce(id)
  await productSearch.rankVersion()
  expect(await list()).toEqual([first, second, third])
  await db.updateTable('products').set({ name: 'Cote' }).where('id', 'in', [first, second]).execute()
  await db.updateTable('products').set({ name: 'Coté' }).where('id', '=', first).execute()
  for (const id of [first, second]) await announce(id)
  expect(await list()).toEqual([second, first, third])
  await db.updateTable('products').set({ name: 'Cote' }).where('id', '=', first).execute()
  await announce(first)
  expect(await list()).toEqual([first, second, third])
})

test('lists all products by name while they are renamed', async () => {
  const { body } = await shop.call('POST', '/api/v1/tags', { token: admin, body: { name: 'Renamed' } })
  const tagId = body && typeof body === 'object' && 'id' in body ? Number(body.id) : 0
  const tagged: number[] = []
  for (let n = 0; n < 10; n++) tagged.push(await createProduct(shop.deps.db))
  let turn = 0
  await shop.call('PATCH', '/api/v1/products', {
    token: admin,
    body: { ids: tagged, set: { addTagIds: [tagId] } },
  })
  const list = async () => {
    const path = `/api/v1/products?sort=name&tagId=${tagId}&size=${10 + (turn++ % 90)}`
    const { status, body: page } = await shop.call('GET', path, { token: admin })
    expect([path, status, page]).toEqual([path, 200, expect.objectContaining({ totalElements: tagged.length })])
  }
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      ...tagged.map((id) =>
        shop.call('PATCH', `/api/v1/products/${id}`, {
          token: admin,
          body: { name: `Renamed ${round} ${id}` },
        }),
      ),
      ...Array.from({ length: 12 }, list),
    ])
  }
})

test('finds a product as soon as its creation is answered, whatever is being read', async () => {
  const { productSearch } = shop.deps
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const name = `Rhubarb ${n}th`
      const { body } = await shop.call('POST', '/api/v1/products', {
        token: admin,
        body: { name, price: 1, stock: 1 },
      })
      const search = { ...EVERY_ACTIVE, tokens: readSearch(name) }
      const { ids: found } = await productSearch.page(search, { order: 'match', page: 0, size: 1 }, UNLIMITED)
      expect(found).toEqual([body && typeof body === 'object' && 'id' in body ? body.id : undefined])
    }),
  )
})

test('finds after five minutes what was written outside the shop', async () => {
  const { db, productSearch } = shop.deps
  const [category, brand] = [await createCategory(db), await createBrand(db)]
  // More than one batch.
  await createManyProducts(db, 1200, [category], [brand])
  const created = await db.selectFrom('products').select('id').where('slug', 'like', 'many-%').orderBy('id').execute()
  const [first = 0, ...others] = created.slice(0, 100).map(({ id }) => id)
  await db.deleteFrom('products').where('id', 'in', others).execute()
  await db.updateTable('products').set({ name: 'Гвоздодёр', stock: 5 }).where('id', '=', first).execute()
  const find = () => productSearch.ids({ ...EVERY_ACTIVE, active: null, tokens: readSearch('гвоздодер') })
  expect(await find()).toEqual([])
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000)
  try {
    // The request that begins to read all products doesn't wait for them.
    expect(await find()).toEqual([])
  } finally {
    now.mockRestore()
  }
  await expect.poll(find).toEqual([first])
  const total = await db
    .selectFrom('products')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst()
  expect(await productSearch.ids({ ...EVERY_ACTIVE, active: null, tokens: [] })).toHaveLength(total?.count ?? 0)
})
