import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { IndexedProductRow } from '../../../db/queries/catalogue/product-index.ts'
import { EVERY_ACTIVE, type ProductFilter } from '../../../src/rules/catalogue/product-filter.ts'
import { createProductIndex } from '../../../src/runtime/search/product-index.ts'

const id = fc.integer({ min: 1, max: 25 })
const small = fc.integer({ min: 1, max: 3 })
/** Of three values, two of which have several spellings. */
const spelling = fc.constantFrom('x', 'X', 'ё  y', 'Е Y', 'е y', 'z')
/** Of three names, one of which has two spellings. */
const attributes = fc.array(
  fc.record({
    name: fc.constantFrom('A', 'a', 'B', 'C'),
    value: spelling,
    source: fc.constant('EXTERNAL' as const),
  }),
  { maxLength: 4 },
)
const keyOf = (value: string) => value.toLowerCase().replace('ё', 'е').replace('  ', ' ')

const product: fc.Arbitrary<IndexedProductRow> = fc.record({
  id,
  external_id: fc.constant(null),
  name: fc.constantFrom('red drill', 'blue drill'),
  active: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  available: fc.boolean(),
  category_id: fc.option(small),
  brand_id: fc.option(small),
  price: fc.option(fc.integer({ min: 100, max: 300 })),
  stock: small,
  created_at: small,
  sold: small,
  attributes,
})

const toMoney = (minor: number) => minor / 100

const filter: fc.Arbitrary<ProductFilter> = fc.record({
  active: fc.constant(true),
  inStock: fc.boolean(),
  categoryIds: fc.option(fc.uniqueArray(small), { freq: 2 }),
  brandIds: fc.option(fc.uniqueArray(small), { freq: 2 }),
  minPrice: fc.option(fc.integer({ min: 50, max: 250 }).map(toMoney), { freq: 2 }),
  maxPrice: fc.option(fc.integer({ min: 150, max: 350 }).map(toMoney), { freq: 2 }),
  attributes: fc
    .dictionary(fc.constantFrom('a', 'b'), fc.uniqueArray(fc.constantFrom('x', 'е y'), { minLength: 1 }), {
      maxKeys: 2,
    })
    .map((wanted) => Object.entries(wanted).map(([name, values]) => ({ name, values, min: null, max: null }))),
  tokens: fc.constant([]),
  ids: fc.option(fc.uniqueArray(id), { freq: 4 }),
})

/** The attributes of a product with the keys of names and values, of several spellings of a value the first one. */
function pairsOf({ attributes }: IndexedProductRow): [name: string, value: string, key: string, written: string][] {
  const byKey = new Map<string, [string, string, string, string]>()
  for (const { name, value } of attributes.toReversed())
    byKey.set(`${keyOf(name)}=${keyOf(value)}`, [keyOf(name), value, keyOf(value), name])
  return [...byKey.values()]
}

/** The text that comes most often; of equals, the one that sorts first. */
function mostUsed(texts: string[]): string {
  const counts = [...Map.groupBy(texts, (text) => text)]
  return counts.sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))[0]?.[0] ?? ''
}

/** The name and values of each attribute of active products, as most of them write it. */
function valuesOf(products: Iterable<IndexedProductRow>) {
  const active = [...products].filter((one) => one.active)
  const pairs = active.flatMap(pairsOf)
  return Object.values(Object.groupBy(pairs, ([name]) => name)).map((of = []) => {
    const spellings = Object.values(Object.groupBy(of, ([, , value]) => value)).map((same = []) =>
      mostUsed(same.map(([, value]) => value)),
    )
    return { name: mostUsed(of.map(([, , , written]) => written)), spellings: spellings.sort() }
  })
}

/** Counts product by product. */
function countNaively(products: Iterable<IndexedProductRow>, wanted: ProductFilter) {
  const counts = { brands: {}, categories: {}, prices: [] as number[], attributes: {}, products: {} }
  const add = (to: Record<string, number>, key: unknown) => {
    to[String(key)] = (to[String(key)] ?? 0) + 1
  }
  for (const one of products) {
    if (!one.active || (wanted.inStock && !one.available)) continue
    if (wanted.ids !== null && !wanted.ids.includes(one.id)) continue
    const limited = wanted.minPrice !== null || wanted.maxPrice !== null
    const misses = new Set<string>()
    if (wanted.brandIds !== null && !wanted.brandIds.includes(one.brand_id ?? 0)) misses.add('brand')
    if (wanted.categoryIds !== null && !wanted.categoryIds.includes(one.category_id ?? 0)) misses.add('category')
    const price = one.price === null ? Number.NaN : toMoney(one.price)
    if (limited && !(price >= (wanted.minPrice ?? 0) && price <= (wanted.maxPrice ?? 1e9))) misses.add('price')
    const pairs = pairsOf(one)
    for (const { name, values } of wanted.attributes)
      if (!pairs.some(([of, , key]) => of === name && values.includes(key))) misses.add(`attribute ${name}`)
    const counted = (facet: string) => misses.size === 0 || (misses.size === 1 && misses.has(facet))
    if (one.brand_id !== null && counted('brand')) add(counts.brands, one.brand_id)
    if (one.category_id !== null && counted('category')) add(counts.categories, one.category_id)
    if (one.price !== null && counted('price')) counts.prices.push(one.price)
    for (const [name, , key] of pairs) if (counted(`attribute ${name}`)) add(counts.attributes, `${name}=${key}`)
    for (const name of new Set(pairs.map(([of]) => of))) if (counted(`attribute ${name}`)) add(counts.products, name)
  }
  const { brands, categories, prices, attributes, products: having } = counts
  const price = prices.length === 0 ? null : { min: Math.min(...prices), max: Math.max(...prices) }
  return { brands, categories, price, attributes, having }
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

test('counts what a scan of all products counts, after any changes', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ put: fc.array(product, { maxLength: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.array(id, { maxLength: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ filter }) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const index = createProductIndex()
      const all = new Map<number, IndexedProductRow>()
      const check = (wanted: ProductFilter) => {
        const { brands, categories, price, attributes } = index.countFacets(wanted, () => true)
        const pairs = attributes.flatMap(({ name, values }) =>
          [...values].map(([value, count]) => [`${keyOf(name)}=${keyOf(value)}`, count]),
        )
        expect({
          brands: Object.fromEntries(brands),
          categories: Object.fromEntries(categories),
          price,
          attributes: Object.fromEntries(pairs),
          having: Object.fromEntries(attributes.map(({ name, products }) => [keyOf(name), products])),
        }).toEqual(countNaively(all.values(), wanted))
      }
      const checkAll = () => {
        check(EVERY_ACTIVE)
        const counted = index.countFacets(EVERY_ACTIVE, () => true).attributes
        const shown = counted.map(({ name, values }) => ({ name, spellings: [...values.keys()].sort() }))
        expect(shown.sort(byName)).toEqual(valuesOf(all.values()).sort(byName))
        const numbers = new Map<string, number>()
        index.countFacets({ ...EVERY_ACTIVE, inStock: true }, (key, values) => Boolean(numbers.set(key, values)))
        const numbered = shown.filter(({ name }) => numbers.has(keyOf(name)))
        for (const { name, spellings } of numbered) expect(numbers.get(keyOf(name))).toBe(spellings.length)
        expect(numbered).toHaveLength(numbers.size)
      }
      for (const one of steps) {
        if ('put' in one) {
          index.put(one.put, (word) => word)
          for (const put of one.put) all.set(put.id, put)
        } else if ('remove' in one) {
          index.remove(one.remove)
          for (const gone of one.remove) all.delete(gone)
        } else check(one.filter)
        checkAll()
      }
    }),
    { numRuns: 150 },
  )
})
