import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { EVERY_ACTIVE, type ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import { countProducts, listProductIds } from '../../../db/queries/catalogue/products.ts'
import { PRODUCT_SORT } from '../../../db/tables/products.ts'
import { readSearch, type SearchWord, wordsOfName } from '../../../src/rules/catalogue/search.ts'
import type { ProductColumns } from '../../../src/runtime/search/product-columns.ts'
import type { IndexOrder } from '../../../src/runtime/search/sort-orders.ts'
import {
  catchUp,
  currentProducts,
  learnNames,
  lookUp,
  productsAtHand,
  toIndexFilter,
} from '../../../src/services/catalogue/product-index.ts'
import { refreshSales } from '../../../src/services/catalogue/sales.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// What lists are told by the index in memory is what the database would have said, whatever was changed before.
let shop: TestShop
let other: TestShop
let admin: string
const ids: number[] = []
const NAMES = [
  'Дрель ударная Зубр ЗУ-18В',
  'Дрели ударные, набор',
  'Картридж TK-510K чёрный',
  'Картриджи для принтера',
  'Printer HP LaserJet 100%',
  'Электродрель Ёлка printers',
  'Тонер',
]
const COLOURS = ['red', 'green', 'blue']

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  for (let n = 0; n < 3; n++) await createBrand(db)
  for (let n = 0; n < 4; n++) await createCategory(db)
  for (let n = 0; n < 60; n++) {
    const attributes = COLOURS.slice(n % 4).map((value) => ({ name: 'Colour', value }))
    ids.push(
      await createProduct(db, {
        name: NAMES[n % NAMES.length] + (n % 5 === 0 ? ` ${n}` : ''),
        brandId: n % 4 || null,
        categoryId: n % 5 || null,
        price: n % 7 === 0 ? null : `${(n * 13) % 40}.${10 + (n % 90)}`,
        stock: n % 3,
        activeOverride: n % 6 === 0 ? false : null,
        attributes: n % 2 ? attributes : [...attributes, { name: 'Size', value: `${n % 3}` }],
      }),
    )
  }
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 1 })
const price = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.double({ min: 0, max: 40, noNaN: true }))
const some = (most: number) => fc.uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1 })
const attribute = fc.oneof(
  fc.record({
    name: fc.constant('Colour'),
    values: fc.uniqueArray(fc.constantFrom(...COLOURS, 'pink'), { minLength: 1 }),
  }),
  fc.record({ name: fc.constantFrom('Size', 'Weight'), values: fc.constant<string[]>(['1']) }),
)
const filters: fc.Arbitrary<ProductFilter> = fc
  .record({
    active: maybe(fc.boolean()),
    categoryIds: maybe(some(5)),
    brandIds: maybe(some(4)),
    minPrice: maybe(price),
    maxPrice: maybe(price),
    inStock: fc.boolean(),
    attributes: fc.uniqueArray(attribute, { maxLength: 2, selector: ({ name }) => name }),
  })
  .map((filter) => ({ ...EVERY_ACTIVE, ...filter }))

const searches = fc
  .uniqueArray(
    fc.constantFrom(
      'дрель',
      'ударных',
      'tk',
      '510k',
      'tk510k',
      'картриджем',
      'рин',
      'p',
      '%',
      'ёлка',
      '1',
      'нет',
    ),
    {
      maxLength: 3,
    },
  )
  .map((words) => readSearch(words.join(' ')).flatMap((token) => token.words))
const orders = fc.constantFrom<IndexOrder>('match', 'id', 'name', 'price', 'stock', 'createdAt')
const COLUMNS = { ...PRODUCT_SORT, match: PRODUCT_SORT.id }
const ALL = { page: 0, size: 10_000 }

/** How well each of the products has the words, by the contract's words; those that have not all of them are left out. */
async function levelsOf({ deps: { db } }: TestShop, all: number[], words: SearchWord[]) {
  const rows = await db
    .selectFrom('products')
    .leftJoin('product_sales', 'product_id', 'products.id')
    .select(['products.id', 'name', 'search_name', 'stock', 'final_price', 'quantity'])
    .where('products.id', 'in', [0, ...all])
    .execute()
  const held = await db
    .selectFrom('order_items')
    .select(({ fn }) => ['product_id', fn.sum<number>('quantity').as('quantity')])
    .where('holding', '=', true)
    .groupBy('product_id')
    .execute()
  const heldOf = new Map(held.map(({ product_id, quantity }) => [product_id, Number(quantity)]))
  const every = [...words.map(({ text }) => text), ...rows.flatMap(({ name }) => wordsOfName(name))]
  const stems = await findStems(db, [...new Set(every)])
  const levelOf = (own: string[], { text }: SearchWord): number => {
    if (own.includes(text)) return 0
    if (own.some((word) => stems.get(word) !== '' && stems.get(word) === stems.get(text))) return 1
    return own.some((word) => (text.length < 3 ? word.startsWith(text) : word.includes(text)))
      ? 2
      : Number.NaN
  }
  return rows.flatMap(({ id, name, search_name, stock, final_price, quantity }) => {
    const own = wordsOfName(name)
    const levels = words.filter(({ literal }) => !literal).map((word) => levelOf(own, word))
    const signs = words.filter(({ literal }) => literal)
    if (levels.some(Number.isNaN) || !signs.every(({ text }) => search_name.includes(text))) return []
    const available = Number(final_price) > 0 && stock > (heldOf.get(id) ?? 0)
    const key = [
      Math.max(0, ...levels),
      levels.reduce((sum, level) => sum + level, 0),
      available ? 0 : 1,
      -(quantity ?? 0),
      own.join(' ').length,
      id,
    ]
    return [{ id, key }]
  })
}

function byKey(a: { key: number[] }, b: { key: number[] }): number {
  const at = a.key.findIndex((part, index) => part !== b.key[index])
  return (a.key[at] ?? 0) - (b.key[at] ?? 0)
}

async function products(one: TestShop): Promise<ProductColumns> {
  const all = await currentProducts(one.deps)
  if (!all.knowsNames) await learnNames(one.deps, all)
  return all
}

async function agrees(one: TestShop, runs: number): Promise<void> {
  const all = await products(one)
  const page = fc.record({ descending: fc.boolean(), page: fc.nat(3), size: fc.integer({ min: 1, max: 30 }) })
  await fc.assert(
    fc.asyncProperty(
      filters,
      searches,
      orders,
      page,
      async (filter, words, order, { descending, page, size }) => {
        const sought = await toIndexFilter(one.deps, filter, await lookUp(one.deps, all, words))
        const sorted = { columns: COLUMNS[order], descending: descending && order !== 'match' }
        const inOrder = await listProductIds(one.deps.db, filter, sorted, ALL)
        const matching = await levelsOf(one, inOrder, words)
        const matched = new Set(matching.map(({ id }) => id))
        const expected =
          order === 'match'
            ? matching.toSorted(byKey).map(({ id }) => id)
            : inOrder.filter((id) => matched.has(id))
        expect(all.find(sought, { order, descending, offset: page * size, size })).toEqual({
          total: matched.size,
          ids: expected.slice(page * size, page * size + size),
        })
        if (words.length === 0) expect(await countProducts(one.deps.db, filter)).toBe(matched.size)
      },
    ),
    { numRuns: runs },
  )
}

test('any filter and words leave the same products, in the same order', () => agrees(shop, 200))

test('and does after whatever changes, on every instance', async () => {
  await products(other)
  const send = async (method: 'PATCH' | 'POST' | 'DELETE' | 'PUT', path: string, body?: unknown) => {
    const { status, text } = await shop.call(method, `/api/v1/${path}`, { token: admin, body })
    expect([path, status < 300, text]).toEqual([path, true, text])
  }
  const changes = [
    () => placeOrder(shop, [{ productId: ids[5] ?? 0, quantity: 2 }]),
    () => send('PATCH', `products/${ids[8]}`, { sitePrice: 3.5, active: false }),
    () => send('PUT', `products/${ids[9]}/attributes`, [{ name: 'Size', value: '1' }]),
    () => send('DELETE', `products/${ids[10]}`),
    () => send('POST', 'products', { name: 'New', price: 12.34, stock: 1, brandId: 2, categoryId: 3 }),
    () => send('PATCH', 'products', { filter: { brandId: '1' }, set: { categoryId: 2 } }),
    () => send('PATCH', `products/${ids[11]}`, { name: 'Аккумуляторная дрель tk-510k' }),
    () => send('PATCH', 'products', { filter: { search: 'картриджем' }, set: { active: true } }),
    () => refreshSales(shop.deps),
  ]
  const heard = new Set<string>()
  other.deps.changes.subscribe((made) => {
    for (const { kind } of made) heard.add(kind)
  })
  for (const change of changes) {
    heard.clear()
    await change()
    await agrees(shop, 15)
    await expect.poll(() => ['product', 'stock', 'demand'].some((kind) => heard.has(kind))).toBe(true)
    await agrees(other, 15)
  }
})

test('ids that were given out earlier may come later', async () => {
  const { db } = shop.deps
  const late = await createProduct(db)
  await sql`update products set id = 1000000 where id = ${late}`.execute(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([1_000_000]) }], 'run')
  await agrees(shop, 10)
  const later = await createProduct(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([later]) }], 'run')
  await agrees(shop, 30)
})

test('what can not be heard of is asked of the database', async () => {
  const { deps } = shop
  deps.caches.setTrusted(false)
  expect(await productsAtHand(deps)).toBeNull()
  deps.caches.setTrusted(true)
  // From before it was heard of everything again.
  expect(await productsAtHand(deps)).toBeNull()
  await currentProducts(deps)
  expect(await productsAtHand(deps)).toBe(deps.productIndex.index.columns)
})

test('much that changed is read at once, and not when somebody asks', async () => {
  const { deps } = shop
  deps.changes.subscribe(() => catchUp(deps))
  await currentProducts(deps)
  const { index } = deps.productIndex
  const many = Array.from({ length: 1000 }, (_, id) => id + 1)
  await deps.changes.publish([{ kind: 'stock', ids: new Set(many.slice(0, 50)) }], 'run')
  expect(index.staleCount).toBe(50)
  for (const ids of [new Set(many), null]) {
    await deps.changes.publish([{ kind: 'product', ids }], 'run')
    await expect.poll(() => [index.staleCount, deps.productIndex.refreshing]).toEqual([0, undefined])
    await agrees(shop, 10)
  }
})

test('lists by name are right while products are renamed', async () => {
  const { body } = await shop.call('POST', '/api/v1/tags', { token: admin, body: { name: 'Renamed' } })
  const tagId = body && typeof body === 'object' && 'id' in body ? Number(body.id) : 0
  const tagged = ids.slice(20, 30)
  let turn = 0
  await shop.call('PATCH', '/api/v1/products', {
    token: admin,
    body: { ids: tagged, set: { addTagIds: [tagId] } },
  })
  const list = async () => {
    const path = `/api/v1/products?sort=name&tagId=${tagId}&size=${10 + (turn++ % 90)}`
    const { status, body: page } = await shop.call('GET', path, { token: admin })
    expect([path, status, page]).toEqual([
      path,
      200,
      expect.objectContaining({ totalElements: tagged.length }),
    ])
  }
  for (let round = 0; round < 5; round++) {
    await Promise.all([
      ...tagged.map((id) =>
        shop.call('PATCH', `/api/v1/products/${id}`, {
          token: admin,
          body: { name: `Renamed ${round} ${id}` },
        }),
      ),
      ...Array.from({ length: 30 }, list),
    ])
  }
})

test('whoever asks after a write sees it, whatever is being read for others', async () => {
  const { deps } = shop
  const page = { order: 'match', descending: false, offset: 0, size: 1 } as const
  const first = currentProducts(deps)
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const name = `Rhubarb ${n}th`
      const { body } = await shop.call('POST', '/api/v1/products', {
        token: admin,
        body: { name, price: 1, stock: 1 },
      })
      const all = await currentProducts(deps)
      const words = await lookUp(
        deps,
        all,
        readSearch(name).flatMap((token) => token.words),
      )
      const { ids } = all.find(await toIndexFilter(deps, EVERY_ACTIVE, words), page)
      expect(ids).toEqual([body && typeof body === 'object' && 'id' in body ? body.id : undefined])
    }),
  )
  await first
})

/** Reads all anew in their places, as if nothing had been read for five minutes. */
async function renewed({ deps }: TestShop): Promise<void> {
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000)
  try {
    await currentProducts(deps)
  } finally {
    now.mockRestore()
  }
  await deps.productIndex.rereading
}

test('what was written past the shop is found after a while, with no second index', async () => {
  const { db, productIndex } = shop.deps
  const before = (await currentProducts(shop.deps)) && productIndex.index.columns
  // Enough for several readings, some of which find nothing of what they had.
  for (let n = 0; n < 1200; n++)
    ids.push(await createProduct(db, { name: `${NAMES[n % NAMES.length]} ${n}` }))
  await renewed(shop)
  await agrees(shop, 20)
  const [first = 0, ...others] = ids.splice(100, 700)
  await db.deleteFrom('products').where('id', 'in', others).execute()
  await db.updateTable('products').set({ name: 'Гвоздодёр', stock: 5 }).where('id', '=', first).execute()
  await renewed(shop)
  expect(productIndex.index.columns).toBe(before)
  await agrees(shop, 50)
})

test('what was left behind by many changes goes with the next reading', async () => {
  const { db, productIndex } = shop.deps
  const before = (await currentProducts(shop.deps)) && productIndex.index.columns
  for (let round = 0; round < 8; round++) {
    await sql`update products set name = 'word' || md5(id || ' ' || ${round}::text)`.execute(db)
    await renewed(shop)
    if (productIndex.index.columns !== before) break
  }
  expect(productIndex.index.columns).not.toBe(before)
  await agrees(shop, 20)
})
