import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SyncRunDetails } from '../../../src/schemas/sync.ts'
import {
  type Answer,
  type Asked,
  readWireDate,
  type ScriptedShop,
  startScriptedShop,
  wireDate,
  wireProduct,
} from '../../support/scripted-supplier.ts'

// One shop meets every fault of a supplier in turn; afterwards its catalogue equals the supplier's.
let world: ScriptedShop

const LONG_AGO = '01.01.2026 00:00:00.000'
const now = () => wireDate(new Date())
const products = () => world.supplier.lists.ListProducts

beforeAll(async () => {
  world = await startScriptedShop()
  world.supplier.lists = {
    ListCategories: ['c1', 'c2', 'c3'].map((id) => ({ id, name: `Category ${id}`, updatedAt: LONG_AGO })),
    ListBrands: ['b1', 'b2'].map((id) => ({ id, name: `Brand ${id}`, updatedAt: LONG_AGO })),
    ListProducts: Array.from({ length: 250 }, (_, n) =>
      wireProduct(`p${n + 100}`, {
        categoryId: `c${1 + (n % 3)}`,
        brandId: `b${1 + (n % 2)}`,
        price: n + 0.5,
        stock: n,
        attributes: [{ name: 'Size', value: `${n}` }],
      }),
    ),
  }
  expect(await world.sync()).toMatchObject({ status: 'SUCCEEDED', warnings: [], skippedRecords: [] })
})
afterAll(() => world.close())

const idOf = (id: unknown) => String(id ?? '').trim() || null

/** The supplier's catalogue as the shop's tables should show it. */
function supplierCatalogue() {
  return products()
    .map((product) => ({
      id: product.id,
      name: product.name.normalize(),
      price: Number(product.price).toFixed(2),
      stock: Number(product.stock),
      category: idOf(product.categoryId),
      brand: idOf(product.brandId),
      attributes: product.attributes ?? [],
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function shopCatalogue() {
  const { rows } = await sql`
    select p.external_id as id, p.name, p.price, p.stock, c.external_id as category, b.external_id as brand,
      coalesce((
        select json_agg(json_build_object('name', a.name, 'value', a.value) order by a.position)
        from product_attributes a where a.product_id = p.id), '[]') as attributes
    from products p
    left join categories c on c.id = p.category_id
    left join brands b on b.id = p.brand_id
    where p.active order by p.external_id collate "C"`.execute(world.shop.deps.db)
  return rows
}

const onProducts = (answer: (asked: Asked) => Answer | undefined) => (asked: Asked) =>
  asked.list === 'ListProducts' ? answer(asked) : undefined

/** Runs with a fault and checks the run's outcome. */
async function syncWith(
  intercept: (asked: Asked) => Answer | undefined,
  expected: Partial<SyncRunDetails>,
  options = { full: true },
): Promise<void> {
  world.supplier.intercept = intercept
  const run = await world.sync(options)
  world.supplier.intercept = null
  expect(run).toMatchObject(expected)
  // No fault deactivates a product.
  expect(await world.active()).toHaveLength(products().length)
}

const failed = (error: string) => ({ status: 'FAILED' as const, error: expect.stringContaining(error) })
const warned = (warning: string) => ({
  status: 'SUCCEEDED' as const,
  warnings: [expect.stringContaining(warning)],
})

test('survives empty, truncated and invalid lists', async () => {
  await syncWith(
    onProducts(() => ({ body: { items: [], nextPage: null } })),
    warned('none was made inactive'),
  )
  await syncWith(
    onProducts(() => ({ body: { items: products().slice(0, 100), nextPage: null } })),
    warned('none was made inactive'),
  )
  await syncWith(
    onProducts(({ page }) =>
      page === 3 ? { body: { items: products().slice(200, 240), nextPage: null } } : undefined,
    ),
    warned('for the first time'),
  )
  await syncWith(
    onProducts(() => ({ body: '<html>Service Temporarily Unavailable</html>' })),
    failed('not JSON'),
  )
  await syncWith(({ list }) => (list === 'ListCategories' ? { body: { items: [] } } : undefined), {
    status: 'SUCCEEDED',
  })
})

test('stores no name from bytes that it cannot decode', async () => {
  // «Чайник» in windows-1251, which the answer doesn't declare.
  const name = Buffer.from([0xd7, 0xe0, 0xe9, 0xed, 0xe8, 0xea])
  const body = Buffer.concat([
    Buffer.from('{"items":[{"id":"p100","name":"'),
    name,
    Buffer.from('"}],"nextPage":null}'),
  ])
  const before = await shopCatalogue()
  await syncWith(
    onProducts(() => ({ body })),
    failed('bytes that are not UTF-8'),
  )
  expect(await shopCatalogue()).toEqual(before)
})

test('asks four times for each page that is answered 429 with a short Retry-After, and no more', async () => {
  const tooMany = { status: 429, headers: { 'retry-after': '0' }, body: { error: 'too many requests' } }
  world.supplier.asked = []
  await syncWith(({ list, page }) => (list === 'ListProducts' && page === 2 ? tooMany : undefined), failed('429'))
  const pages = world.takeAsked('ListProducts').map(({ page }) => page)
  expect(pages).toEqual([1, 2, 2, 2, 2])

  const counts = new Map<string, number>()
  world.supplier.asked = []
  await syncWith(
    ({ list, page }) => {
      const count = (counts.get(`${list} ${page}`) ?? 0) + 1
      counts.set(`${list} ${page}`, count)
      return count < 4 ? tooMany : undefined
    },
    { status: 'SUCCEEDED', error: null },
  )
  // Categories, brands, and three pages of products.
  expect(world.supplier.asked).toHaveLength(4 * 5)
})

test('loses no change to a slow clock or to pages that shift during paging', async () => {
  const behind = 5 * 60_000
  world.supplier.aheadMs = -behind
  await world.sync({ full: true })
  // Before the run by the supplier's clock, after it by the shop's.
  const supplierNow = () => wireDate(new Date(Date.now() - behind + 1000))
  for (const [index, product] of products().entries()) {
    if (index < 150) products()[index] = { ...product, price: 1000 + index, updatedAt: supplierNow() }
  }
  world.supplier.intercept = onProducts(({ page }) => {
    // The first of the changed ones leaves the list: all others move up by one, the 101st into the page just read.
    if (page === 2) products()[0] = { ...wireProduct('p100', products()[0]), updatedAt: LONG_AGO }
    return undefined
  })
  await world.sync()
  world.supplier.intercept = null
  await world.sync()
  expect(await shopCatalogue()).toEqual(supplierCatalogue())
  world.supplier.aheadMs = 0
})

test('ends with exactly the supplier’s catalogue', async () => {
  const { lists } = world.supplier
  // Changes that no incremental run sees: without a new date, removed, or new with an old date.
  products()[10] = wireProduct('p110', {
    name: 'Silently renamed'.normalize('NFD'),
    categoryId: '',
    brandId: ' ',
  })
  products()[11] = wireProduct('p111', { name: 'Чайник'.normalize('NFD'), price: 9.99, updatedAt: now() })
  lists.ListProducts.splice(20, 5)
  lists.ListProducts.push(wireProduct('p999', { categoryId: 'c4', brandId: 'b1' }))
  lists.ListCategories.push({ id: 'c4', name: 'Late', updatedAt: LONG_AGO })
  await world.shop.deps.db
    .updateTable('products')
    .set({ stock: 7777, name: 'Broken' })
    .where('external_id', '=', 'p150')
    .execute()

  await world.sync({ full: true })
  const last = await world.sync()
  expect(last).toMatchObject({ status: 'SUCCEEDED', warnings: [], skippedRecords: [] })
  expect(await shopCatalogue()).toEqual(supplierCatalogue())
  const settled = await world.sync()
  expect(settled.types.map(({ fullLoad, created, updated }) => [fullLoad, created, updated])).toEqual([
    [false, 0, 0],
    [false, 0, 0],
    [false, 0, 0],
  ])
  const [asked] = world.takeAsked('ListProducts').slice(-1)
  expect(readWireDate(asked?.dateFrom).getTime()).toBeLessThanOrEqual(Date.parse(settled.startedAt))
})
