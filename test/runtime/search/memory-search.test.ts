import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { EVERY_ACTIVE } from '../../../db/queries/catalogue/product-filter.ts'
import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import { listProductIds } from '../../../db/queries/catalogue/products.ts'
import { PRODUCT_SORT } from '../../../db/tables/products.ts'
import { attributeKey } from '../../../src/rules/catalogue/attributes.ts'
import {
  articleOf,
  readSearch,
  type SearchToken,
  type SearchWord,
  wordsOfName,
} from '../../../src/rules/catalogue/search.ts'
import type { SearchFilter } from '../../../src/runtime/search/product-search.ts'
import { searchDatabase } from '../../../src/runtime/search/sql-search.ts'
import { refreshSales } from '../../../src/services/catalogue/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createManyProducts, createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The index in memory has to answer what the database would, after any sequence of changes.
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
/** Each in writings that mean the same. */
const COLOURS = [
  ['red', 'Red'],
  ['тёмно  зелёный', 'ТЕМНО\u00a0ЗЕЛЁНЫЙ', 'темно зеленый'],
  ['blue', 'BLUE'],
]

beforeAll(async () => {
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' })
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  for (let n = 0; n < 3; n++) await createBrand(db)
  for (let n = 0; n < 4; n++) await createCategory(db)
  for (let n = 0; n < 60; n++) {
    const attributes = COLOURS.slice(n % 4).map((all) => ({
      name: 'Colour',
      value: all[n % all.length] ?? '',
    }))
    ids.push(
      await createProduct(db, {
        name: NAMES[n % NAMES.length] + (n % 5 === 0 ? ` ${n}` : ''),
        externalId: n % 2 === 0 ? null : n % 3 === 0 ? `AB-${n}` : `${n}ab7`,
        brandId: n % 4 || null,
        categoryId: n % 5 || null,
        price: n % 7 === 0 ? (n % 2 === 0 ? null : '0.00') : `${(n * 13) % 40}.${10 + (n % 90)}`,
        stock: n % 3,
        activeOverride: n % 6 === 0 ? false : null,
        attributes: [
          ...attributes,
          ...(n % 2 ? [] : [{ name: 'Size', value: `${n % 3}` }]),
          // Hides the supplier's.
          ...(n % 4 ? [] : [{ name: 'Size', value: '2', source: 'MANUAL' as const }]),
        ],
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
    values: fc.uniqueArray(fc.constantFrom(...COLOURS.flat(), 'pink'), { minLength: 1 }),
  }),
  fc.record({ name: fc.constantFrom('Size', 'Weight'), values: fc.constant<string[]>(['1']) }),
)
const filters: fc.Arbitrary<Omit<SearchFilter, 'tokens'>> = fc
  .record({
    active: maybe(fc.boolean()),
    categoryIds: maybe(some(5)),
    brandIds: maybe(some(4)),
    minPrice: maybe(price),
    maxPrice: maybe(price),
    inStock: fc.boolean(),
    ids: maybe(some(60)),
    attributes: fc.uniqueArray(attribute, { maxLength: 2, selector: ({ name }) => name }),
  })
  .map((filter) => ({ ...EVERY_ACTIVE, ...filter, tagId: null }))

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
      'AB-7',
      'ab1',
      'нет',
    ),
    {
      maxLength: 3,
    },
  )
  .map((words) => readSearch(words.join(' ')))
const orders = fc.constantFrom('match', 'id', 'name', 'price', 'stock', 'createdAt', 'popularity')
const ALL = { page: 0, size: 10_000 }

/** The products that have all words, with what the contract sorts matches by. */
async function levelsOf({ deps: { db } }: TestShop, all: number[], tokens: SearchToken[]) {
  const words = tokens.flatMap((token) => token.words)
  const whole = articleOf(tokens.map(({ raw }) => raw).join(''))
  const rows = await db
    .selectFrom('products')
    .leftJoin('product_sales', 'product_id', 'products.id')
    .select([
      'products.id',
      'external_id',
      'name',
      'search_name',
      'active',
      'stock',
      'final_price',
      'quantity',
    ])
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
  const levelOf = (own: string[], article: string, { text }: SearchWord): number => {
    if (own.includes(text)) return 0
    if (own.some((word) => stems.get(word) !== '' && stems.get(word) === stems.get(text))) return 1
    const isInside = (word: string) => (text.length < 3 ? word.startsWith(text) : word.includes(text))
    const isArticle = /\d/.test(text) ? isInside(article) : article.startsWith(text)
    return own.some(isInside) || isArticle ? 2 : Number.NaN
  }
  return rows.flatMap(({ id, external_id, name, search_name, active, stock, final_price, quantity }) => {
    const own = wordsOfName(name)
    const article = articleOf(external_id ?? '')
    const levels = words.filter(({ literal }) => !literal).map((word) => levelOf(own, article, word))
    const signs = words.filter(({ literal }) => literal)
    const isArticle = article !== '' && article === whole
    const isMatch = !levels.some(Number.isNaN) && signs.every(({ text }) => search_name.includes(text))
    // An article number is found without the signs typed between its parts.
    if (!isArticle && !isMatch) return []
    const available = active && Number(final_price) > 0 && stock > (heldOf.get(id) ?? 0)
    const key = [
      isArticle ? 0 : 1,
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

async function agrees(one: TestShop, runs: number): Promise<void> {
  const { db, productSearch } = one.deps
  // A search waits until the index is loaded: the database would agree with itself.
  await productSearch.ids([])
  const page = fc.record({ descending: fc.boolean(), page: fc.nat(3), size: fc.integer({ min: 1, max: 30 }) })
  await fc.assert(
    fc.asyncProperty(
      filters,
      searches,
      orders,
      page,
      async (filter, tokens, field, { descending, ...rest }) => {
        const byId = { columns: PRODUCT_SORT.id, descending: false }
        const columns = PRODUCT_SORT[field as keyof typeof PRODUCT_SORT] ?? PRODUCT_SORT.id
        const sorted = field === 'match' ? byId : { columns, descending }
        const inOrder = await listProductIds(db, { ...filter, ids: null }, sorted, ALL)
        const matching = await levelsOf(one, inOrder, tokens)
        const matched = new Set(matching.map(({ id }) => id))
        const expected =
          field === 'match'
            ? matching.toSorted(byKey).map(({ id }) => id)
            : inOrder.filter((id) => matched.has(id))
        const order = field === 'match' ? field : sorted
        const { ids, total, corrected } = await productSearch.page({ ...filter, tokens }, { order, ...rest })
        if (corrected !== null) {
          expect(matched.size).toBe(0)
          return
        }
        const from = rest.page * rest.size
        expect({ total, ids }).toEqual({ total: matched.size, ids: expected.slice(from, from + rest.size) })
        if (tokens.length > 0 || order === 'match') return
        const bySql = await searchDatabase(db, { ...filter, tokens }, { order, ...rest })
        expect(bySql).toEqual({ ids, total, corrected })
      },
    ),
    { numRuns: runs },
  )
}

test('finds what the database finds, in the same order', () => agrees(shop, 70))

test('finds it after any change, on every instance', async () => {
  await other.deps.productSearch.ids([])
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
  const received = new Set<string>()
  other.deps.changes.subscribe((made) => {
    for (const { kind } of made) received.add(kind)
  })
  for (const change of changes) {
    received.clear()
    await change()
    await agrees(shop, 6)
    await expect.poll(() => ['product', 'stock', 'demand'].some((kind) => received.has(kind))).toBe(true)
    await agrees(other, 6)
  }
})

test('finds products that are added in another order than that of their ids', async () => {
  const { db } = shop.deps
  const late = await createProduct(db)
  await sql`update products set id = 1000000 where id = ${late}`.execute(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([1_000_000]) }], 'run')
  await agrees(shop, 5)
  const later = await createProduct(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([later]) }], 'run')
  await agrees(shop, 15)
})

test('sorts a product anew when only accents of its name change', async () => {
  const { db, productSearch } = shop.deps
  const brandId = await createBrand(db)
  const names = ['Cotea', 'Côteb', 'Cotec']
  const created: number[] = []
  for (const name of names) created.push(await createProduct(db, { name, brandId }))
  const [first = 0, second = 0, third = 0] = created
  const announce = (id: number) => shop.deps.changes.publish([{ kind: 'product', ids: new Set([id]) }], 'run')
  const list = async () => {
    const filter = { ...EVERY_ACTIVE, brandIds: [brandId], tokens: [] }
    const order = { columns: PRODUCT_SORT.name, descending: false }
    return (await productSearch.page(filter, { order, page: 0, size: 10 })).ids
  }
  for (const id of created) await announce(id)
  await productSearch.ids([])
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
      const { tagId, ...filter } = EVERY_ACTIVE
      const { ids: found } = await productSearch.page(
        { ...filter, tagId, tokens: readSearch(name) },
        { order: 'match', page: 0, size: 1 },
      )
      expect(found).toEqual([body && typeof body === 'object' && 'id' in body ? body.id : undefined])
    }),
  )
})

test('finds what was written past the shop after five minutes', async () => {
  const { db, productSearch } = shop.deps
  // More than one batch.
  await createManyProducts(db, 1200, [1], [1])
  const created = await db
    .selectFrom('products')
    .select('id')
    .where('slug', 'like', 'many-%')
    .orderBy('id')
    .execute()
  const [first = 0, ...others] = created.slice(0, 100).map(({ id }) => id)
  await db.deleteFrom('products').where('id', 'in', others).execute()
  await db.updateTable('products').set({ name: 'Гвоздодёр', stock: 5 }).where('id', '=', first).execute()
  const find = () => productSearch.ids(readSearch('гвоздодер'))
  expect(await find()).toEqual([])
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5 * 60_000)
  try {
    // The request that begins to read all products doesn't wait for them.
    expect(await find()).toEqual([])
  } finally {
    now.mockRestore()
  }
  await expect.poll(find).toEqual([first])
  await agrees(shop, 10)
})

test('compares values of attributes as the database does', async () => {
  const letters = Array.from({ length: 0x3000 }, (_, n) => String.fromCodePoint(n + 1))
  // The ICU of older servers has no small letters for these capitals.
  const values = letters
    .filter((letter) => !/[\u1c80-\u1cbf\u2c2f]/.test(letter))
    .map((letter) => `a${letter}B`)
  values.push('Ёлка \t\n\u00a0\u202f\ufeffЁЖ', 'ΟΔΟΣ', 'İstanbul', '')
  const { rows } = await sql<{ keys: string[] }>`
    select array(
      select attribute_key(value) from unnest(${values}::text[]) with ordinality v (value, place) order by place
    ) as keys`.execute(shop.deps.db)
  expect(rows[0]?.keys).toEqual(values.map(attributeKey))
})
