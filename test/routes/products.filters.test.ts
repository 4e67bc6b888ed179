import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProductPage } from '../../src/schemas/products.ts'
import { refreshSales } from '../../src/services/catalogue/products.ts'
import { loginAs } from '../support/accounts.ts'
import { createCategory, createImage, createProduct } from '../support/factories.ts'
import { placeOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

// docs/catalogue.md, "Products": filters.
let shop: TestShop
let editor: string
let complete: number
let plain: number
let hidden: number

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  editor = await loginAs(shop, 'EDITOR')
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  complete = await createProduct(db, { categoryId, description: 'Три режима', stock: 50 })
  plain = await createProduct(db, { price: null, description: ' \n' })
  hidden = await createProduct(db, { categoryId, supplierActive: false })
})
afterAll(() => shop.close())

async function list(query: string, token?: string) {
  const answer = await shop.call('GET', `/api/v1/products?${query}`, token === undefined ? {} : { token })
  return { status: answer.status, ...(answer.body as ProductPage) }
}
const idsOf = async (query: string, token?: string) => (await list(query, token)).content.map(({ id }) => id)

test('lists the favourites that the caller may see', async () => {
  const ids = [hidden, 2_147_483_647, plain, complete, complete]
  expect(await list(`ids=${ids}`)).toMatchObject({
    totalElements: 2,
    content: [{ id: complete }, { id: plain }],
  })
  expect(await idsOf(`ids=${ids}&inStock=true`)).toEqual([complete])
  expect(await idsOf(`ids=${ids}&sort=id,desc`, editor)).toEqual([hidden, plain, complete])
  expect(await idsOf('ids=')).toEqual([])
  const { body } = await shop.call('GET', `/api/v1/products/facets?ids=${plain}`)
  expect(body).toMatchObject({ categories: [] })
})

test.each([
  `ids=${Array.from({ length: 101 }, (_, n) => n + 1)}`,
  'ids=0',
  'ids=x',
  'ids=1,,2',
  'without=colour',
  'without=image,',
  'sort=sold',
])('rejects %s', async (query) => {
  expect((await list(query, editor)).status).toBe(400)
})

test('finds products by what they lack, for staff only', async () => {
  const { db } = shop.deps
  await createImage(db, { productId: complete, displayOrder: 0 })
  const found: [string, number[]][] = [
    ['image', [plain, hidden]],
    ['price', [plain]],
    ['category', [plain]],
    ['description', [plain, hidden]],
    ['description,price', [plain]],
    [`image&ids=${complete},${hidden}`, [hidden]],
    ['image&active=true', [plain]],
  ]
  for (const [without, ids] of found)
    expect([without, await idsOf(`without=${without}`, editor)]).toEqual([without, ids])
  expect(await idsOf('without=image')).toEqual([complete, plain])
})

test('sorts by recently ordered units at once', async () => {
  const other = await createProduct(shop.deps.db, { stock: 50 })
  shop.deps.caches.clear()
  const query = `ids=${complete},${other}&sort=popularity,desc`
  await placeOrder(shop, [{ productId: other, quantity: 3 }])
  await refreshSales(shop.deps)
  expect(await idsOf(query)).toEqual([other, complete])
  await placeOrder(shop, [{ productId: complete, quantity: 4 }])
  await refreshSales(shop.deps)
  expect(await idsOf(query)).toEqual([complete, other])
})
