import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVERY_ACTIVE_INDEXED, type IndexFilter } from '../../../src/runtime/search/column-store.ts'
import { createProductIndex, type IndexedProduct } from '../../../src/runtime/search/product-index.ts'

const id = fc.integer({ min: 1, max: 25 })
const small = fc.integer({ min: 1, max: 3 })
const attributes = fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.constantFrom('x', 'y', 'z'))

const product: fc.Arbitrary<IndexedProduct> = fc.record({
  id,
  externalId: fc.constant(null),
  searchName: fc.constantFrom('red drill', 'blue drill'),
  active: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  available: fc.boolean(),
  categoryId: fc.option(small),
  brandId: fc.option(small),
  price: fc.option(fc.integer({ min: 100, max: 300 })),
  stock: small,
  createdAt: small,
  sold: small,
  attributes: attributes.map((some) => Object.entries(some)),
})

const toMoney = (minor: number) => minor / 100

const filter: fc.Arbitrary<IndexFilter> = fc.record({
  active: fc.constant(true),
  inStock: fc.boolean(),
  categoryIds: fc.option(fc.uniqueArray(small), { freq: 2 }),
  brandIds: fc.option(fc.uniqueArray(small), { freq: 2 }),
  minPrice: fc.option(fc.integer({ min: 50, max: 250 }).map(toMoney), { freq: 2 }),
  maxPrice: fc.option(fc.integer({ min: 150, max: 350 }).map(toMoney), { freq: 2 }),
  attributes: fc
    .dictionary(fc.constantFrom('A', 'B'), fc.uniqueArray(fc.constantFrom('x', 'y'), { minLength: 1 }), {
      maxKeys: 2,
    })
    .map((wanted) => Object.entries(wanted).map(([name, values]) => ({ name, values }))),
  words: fc.constant([]),
  article: fc.constant(''),
  ids: fc.option(fc.uniqueArray(id), { freq: 4 }),
})

/** Counts product by product. */
function countNaively(products: Iterable<IndexedProduct>, wanted: IndexFilter) {
  const counts = { brands: {}, categories: {}, prices: [] as number[], attributes: {} }
  const add = (to: Record<string, number>, key: unknown) => {
    to[String(key)] = (to[String(key)] ?? 0) + 1
  }
  for (const one of products) {
    if (!one.active || (wanted.inStock && !one.available)) continue
    if (wanted.ids !== null && !wanted.ids.includes(one.id)) continue
    const limited = wanted.minPrice !== null || wanted.maxPrice !== null
    const misses = new Set<string>()
    if (wanted.brandIds !== null && !wanted.brandIds.includes(one.brandId ?? 0)) misses.add('brand')
    if (wanted.categoryIds !== null && !wanted.categoryIds.includes(one.categoryId ?? 0))
      misses.add('category')
    const price = one.price === null ? Number.NaN : toMoney(one.price)
    if (limited && !(price >= (wanted.minPrice ?? 0) && price <= (wanted.maxPrice ?? 1e9)))
      misses.add('price')
    const has = new Map(one.attributes)
    for (const { name, values } of wanted.attributes)
      if (!values.includes(has.get(name) ?? '')) misses.add(`attribute ${name}`)
    const counted = (facet: string) => misses.size === 0 || (misses.size === 1 && misses.has(facet))
    if (one.brandId !== null && counted('brand')) add(counts.brands, one.brandId)
    if (one.categoryId !== null && counted('category')) add(counts.categories, one.categoryId)
    if (one.price !== null && counted('price')) counts.prices.push(one.price)
    for (const [name, value] of one.attributes)
      if (counted(`attribute ${name}`)) add(counts.attributes, `${name}=${value}`)
  }
  const { brands, categories, prices } = counts
  const price = prices.length === 0 ? null : { min: Math.min(...prices), max: Math.max(...prices) }
  return { brands, categories, price, attributes: counts.attributes }
}

test('counts what a look at each product counts, after any changes', () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ put: fc.array(product, { maxLength: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.array(id, { maxLength: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ filter }) },
  )
  fc.assert(
    fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
      const index = createProductIndex()
      const all = new Map<number, IndexedProduct>()
      const check = (wanted: IndexFilter) => {
        const { brands, categories, price, attributes } = index.countFacets(wanted)
        const pairs = [...attributes].flatMap(([name, values]) =>
          [...values].map(([value, count]) => [`${name}=${value}`, count]),
        )
        expect({
          brands: Object.fromEntries(brands),
          categories: Object.fromEntries(categories),
          price,
          attributes: Object.fromEntries(pairs),
        }).toEqual(countNaively(all.values(), wanted))
      }
      for (const one of steps) {
        if ('put' in one) {
          index.put(one.put, (word) => word)
          for (const put of one.put) all.set(put.id, put)
        } else if ('remove' in one) {
          index.remove(one.remove)
          for (const gone of one.remove) all.delete(gone)
        } else check(one.filter)
        check(EVERY_ACTIVE_INDEXED)
      }
    }),
    { numRuns: 500 },
  )
})
