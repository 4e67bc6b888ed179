import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../../db/database.ts'
import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import { attributeKey } from '../../../src/rules/catalogue/attributes.ts'
import { EVERY_ACTIVE, type ProductFilter } from '../../../src/rules/catalogue/product-filter.ts'
import {
  articleOf,
  readSearch,
  type SearchToken,
  type SearchWord,
  wordsOfName,
} from '../../../src/rules/catalogue/search.ts'
import { fold, lookOf } from '../../../src/rules/fold.ts'
import { UNLIMITED } from '../../../src/runtime/search/product-search.ts'
import { refreshSales } from '../../../src/services/catalogue/products.ts'
import { loginAs } from '../../support/accounts.ts'
import { createBrand, createCategory, createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The index in memory has to answer what a plain reading of docs/search.md finds, after any sequence of changes.
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
/** Each in spellings that mean the same. */
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
const limit = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  fc.integer({ min: 0, max: 40 }),
  fc.double({ min: 0, max: 40, noNaN: true }),
)
const some = (most: number) => fc.uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1 })
const attribute = fc.oneof(
  fc.record({
    name: fc.constant('Colour'),
    values: fc.uniqueArray(fc.constantFrom(...COLOURS.flat(), 'pink'), { minLength: 1 }),
  }),
  fc.record({ name: fc.constantFrom('Size', 'Weight'), values: fc.constant<string[]>(['1']) }),
)
const filters: fc.Arbitrary<Omit<ProductFilter, 'tokens'>> = fc
  .record({
    active: maybe(fc.boolean()),
    categoryIds: maybe(some(5)),
    brandIds: maybe(some(4)),
    minPrice: limit,
    maxPrice: limit,
    inStock: fc.boolean(),
    ids: maybe(some(60)),
    attributes: fc
      .uniqueArray(attribute, { maxLength: 2, selector: ({ name }) => name })
      .map((wanted) => wanted.map((one) => ({ ...one, min: null, max: null }))),
  })
  .map((filter) => ({ ...EVERY_ACTIVE, ...filter }))

const SEARCHED = [
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
]
const searches = fc
  .oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom(...SEARCHED), { maxLength: 3 }))
  .map((words) => readSearch(words.join(' ')))
const orders = fc.constantFrom(...(['match', 'id', 'name', 'price', 'stock', 'createdAt', 'popularity'] as const))

/** What lists and searches depend on, read without the shop's own queries. */
async function readProducts(db: Db) {
  const { rows } = await sql<{
    id: number
    name: string
    place: number
    external_id: string | null
    active: boolean
    category: number | null
    brand: number | null
    price: number | null
    stock: number
    available: boolean
    created: number
    sold: number
    attributes: { name: string; value: string; source: string }[]
  }>`
    select id, name, row_number() over (order by search_name collate "ru-x-icu", id)::int as place,
      external_id, active, category_id as category, brand_id as brand, nullif(final_price, 0)::float8 as price, stock,
      coalesce(active and final_price > 0 and stock > (
        select coalesce(sum(quantity), 0) from order_items i where i.product_id = p.id and holding), false) as available,
      extract(epoch from created_at)::float8 as created,
      coalesce((select quantity from product_sales s where s.product_id = p.id), 0) as sold,
      array(select to_json(a) from product_attributes a where a.product_id = p.id) as attributes
    from products p order by id`.execute(db)
  const words = [...SEARCHED, ...rows.map(({ name }) => name)].flatMap(wordsOfName)
  return { rows, stems: await findStems(db, [...new Set(words)]) }
}
type Products = Awaited<ReturnType<typeof readProducts>>
type Row = Products['rows'][number]

function isListed(row: Row, filter: Omit<ProductFilter, 'tokens'>): boolean {
  const { active, categoryIds, brandIds, minPrice, maxPrice, inStock, ids: listed, attributes } = filter
  const isLimited = minPrice !== null || maxPrice !== null
  return (
    (active === null || row.active === active) &&
    (categoryIds === null || categoryIds.includes(row.category ?? 0)) &&
    (brandIds === null || brandIds.includes(row.brand ?? 0)) &&
    (listed === null || listed.includes(row.id)) &&
    (!isLimited || (row.price !== null && row.price >= (minPrice ?? 0) && row.price <= (maxPrice ?? 1e9))) &&
    (!inStock || row.available) &&
    attributes.every(({ name, values }) => {
      const named = row.attributes.filter((one) => one.name === name)
      const manual = named.filter(({ source }) => source === 'MANUAL')
      const keys = values.map(attributeKey)
      return (manual.length > 0 ? manual : named).some(({ value }) => keys.includes(attributeKey(value)))
    })
  )
}

/** How well the row matches all words, as matches are sorted; null: not all of them. */
function matchKey(row: Row, tokens: SearchToken[], stems: Map<string, string>): number[] | null {
  const words = tokens.flatMap((token) => token.words)
  const own = wordsOfName(row.name)
  const article = articleOf(row.external_id ?? '')
  const levelOf = ({ text }: SearchWord): number => {
    if (own.includes(text)) return 0
    if (own.some((word) => stems.get(word) !== '' && stems.get(word) === stems.get(text))) return 1
    const isInside = (word: string) => (text.length < 3 ? word.startsWith(text) : word.includes(text))
    const isArticle = /\d/.test(text) ? article.includes(lookOf(text)) : article.startsWith(lookOf(text))
    return own.some(isInside) || (isArticle && (text.length >= 3 || article.startsWith(text))) ? 2 : Number.NaN
  }
  const partLevel = (part: SearchWord) =>
    part.text.length >= 3 && !/\d/.test(part.text) ? levelOf(part) : own.includes(part.text) ? 0 : Number.NaN
  const bestLevel = (word: SearchWord): number => {
    const apart = word.parts.length === 0 ? Number.NaN : Math.max(...word.parts.map(partLevel))
    const together = levelOf(word)
    return Number.isNaN(together) ? apart : Number.isNaN(apart) ? together : Math.min(together, apart)
  }
  const levels = words.filter(({ literal }) => !literal).map(bestLevel)
  const signs = words.filter(({ literal }) => literal)
  // An article number is found without the signs typed between its parts.
  const isArticle = article !== '' && article === articleOf(tokens.map(({ raw }) => raw).join(''))
  const isMatch = !levels.some(Number.isNaN) && signs.every(({ text }) => fold(row.name).includes(text))
  if (!isArticle && !isMatch) return null
  return [
    isArticle ? 0 : 1,
    Math.max(0, ...levels),
    levels.reduce((sum, level) => sum + level, 0),
    row.available ? 0 : 1,
    -row.sold,
    row.name.length,
    row.id,
  ]
}

const SORT_KEYS = {
  id: () => 0,
  name: ({ place }: Row) => place,
  price: ({ price }: Row) => price,
  stock: ({ stock }: Row) => stock,
  createdAt: ({ created }: Row) => created,
  popularity: ({ sold }: Row) => sold,
}

/** The ids of all products that match, in order. */
function expected(
  { rows, stems }: Products,
  { tokens, ...filter }: ProductFilter,
  field: 'match' | keyof typeof SORT_KEYS,
  descending: boolean,
): number[] {
  const sign = descending ? -1 : 1
  const keyed = rows.flatMap((row) => {
    const match = isListed(row, filter) ? matchKey(row, tokens, stems) : null
    if (match === null) return []
    if (field === 'match') return { id: row.id, key: match }
    const value = SORT_KEYS[field](row)
    // Without a price: last in both directions.
    return { id: row.id, key: [value === null ? 1 : 0, sign * (value ?? 0), sign * row.id] }
  })
  return keyed.sort(byKey).map(({ id }) => id)
}

function byKey(a: { key: number[] }, b: { key: number[] }): number {
  const at = a.key.findIndex((part, index) => part !== b.key[index])
  return (a.key[at] ?? 0) - (b.key[at] ?? 0)
}

async function agrees({ deps: { db, productSearch } }: TestShop, runs: number): Promise<void> {
  const products = await readProducts(db)
  const page = fc.record({ descending: fc.boolean(), page: fc.nat(3), size: fc.integer({ min: 1, max: 30 }) })
  await fc.assert(
    fc.asyncProperty(filters, searches, orders, page, async (filter, tokens, field, { descending, ...rest }) => {
      const search = { ...filter, tokens }
      const order = field === 'match' ? field : { field, descending }
      const { ids: found, total, corrected } = await productSearch.page(search, { order, ...rest }, UNLIMITED)
      const all = expected(products, search, field, descending)
      if (corrected !== null) {
        expect(all).toEqual([])
        return
      }
      const from = rest.page * rest.size
      expect({ total, ids: found }).toEqual({ total: all.length, ids: all.slice(from, from + rest.size) })
    }),
    { numRuns: runs },
  )
}

test('finds what matches, in the documented order', () => agrees(shop, 250))

test('finds it after any change, on every instance', async () => {
  await other.deps.productSearch.rankVersion()
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
    await agrees(shop, 10)
    await expect.poll(() => ['product', 'stock', 'demand'].some((kind) => received.has(kind))).toBe(true)
    await agrees(other, 10)
  }
})

test('finds products that were not added in the order of their ids', async () => {
  const { db } = shop.deps
  const late = await createProduct(db)
  await sql`update products set id = 1000000 where id = ${late}`.execute(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([1_000_000]) }])
  await agrees(shop, 10)
  const later = await createProduct(db)
  await shop.deps.changes.publish([{ kind: 'product', ids: new Set([later]) }])
  await agrees(shop, 25)
})
