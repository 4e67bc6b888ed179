import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Endless lists, and long ones of malformed records.
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(() => world.startOver())
afterAll(() => world.close())

const answerProducts = (answer: (page: number) => unknown) => {
  world.supplier.intercept = ({ list, page }) => {
    if (list !== 'ListProducts') return undefined
    return page > 30 ? { status: 400, body: 'too many pages were asked for' } : { body: answer(page) }
  }
}
const products = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => wireProduct(`p${from + index}`))

test.each([
  ['the same page over and over', () => products(0, 50)],
  ['nothing at all', () => []],
  ['records without an id', () => [{ name: 'nobody' }, null, { id: '' }]],
  ['earlier products after some pages', (page: number) => (page < 4 ? products(page * 10, 10) : products(20, 15))],
])('fails the run if the list continues with %s', async (_, items) => {
  answerProducts((page) => ({ items: items(page), page, nextPage: page + 1 }))
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({
    status: 'FAILED',
    error: expect.stringMatching(
      /^The list of products does not end: page \d contained nothing new but named \d as the next page$/,
    ),
  })
  // Those that are written, and those that are fetched meanwhile.
  expect(world.takeAsked('ListProducts').length).toBeLessThanOrEqual(10)
})

test('fails the run if an incremental list is endless', async () => {
  answerProducts((page) => ({ items: products(0, 5), page, nextPage: null }))
  await world.sync({ full: true })
  await world.sync({ full: true })
  answerProducts((page) => ({ items: products(0, 5), page, nextPage: page + 1 }))
  const run = await world.sync()
  expect(run.types.at(-1)).toMatchObject({ syncType: 'PRODUCTS', fullLoad: false })
  expect(run).toMatchObject({ status: 'FAILED', error: expect.stringContaining('contained nothing new') })
})

test('stops to fetch ahead when the run has failed', async () => {
  const answered = Promise.withResolvers<void>()
  world.supplier.intercept = async ({ list, page }) => {
    if (list !== 'ListProducts') return { body: { items: [] } }
    if (page > 5) await answered.promise
    return { body: { items: products(0, 5), page, nextPage: page + 1 } }
  }
  expect(await world.sync({ full: true })).toMatchObject({ status: 'FAILED' })
  answered.resolve()
  answerProducts((page) => ({ items: products(0, 5), page, nextPage: null }))
  await world.sync({ full: true })
  expect(world.takeAsked('ListProducts').filter(({ page }) => page > 6)).toEqual([])
})

test('reads overlapping pages to the end, of which the later counts', async () => {
  const named = (page: number) => products(page * 10, 15).map((product) => ({ ...product, name: `Page ${page}` }))
  answerProducts((page) => ({ items: named(page), page, nextPage: page < 7 ? page + 1 : null }))
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED' })
  const stored = await world.shop.deps.db.selectFrom('products').select(['external_id', 'name']).execute()
  const nameOf = (id: string) => stored.find(({ external_id }) => external_id === id)?.name
  expect([nameOf('p19'), nameOf('p22'), nameOf('p62'), nameOf('p84')]).toEqual(['Page 1', 'Page 2', 'Page 6', 'Page 7'])
  expect(stored).toHaveLength(75)
})

test.each([
  ['five short pages', { pages: 7, description: '', transactions: 2 }],
  ['each page with long descriptions', { pages: 3, description: 'x'.repeat(20_000), transactions: 3 }],
])('writes %s in one transaction', async (_, { pages, description, transactions }) => {
  const described = (from: number) => products(from, 100).map((product) => ({ ...product, description }))
  answerProducts((page) => ({ items: described(page * 100), page, nextPage: page < pages ? page + 1 : null }))
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED' })
  const { rows } = await sql`select from products group by xmin::text`.execute(world.shop.deps.db)
  expect(rows).toHaveLength(transactions)
})

test('skips and reports 17 000 malformed records', async () => {
  const malformed = Array.from({ length: 17_000 }, (_, index) => ({ id: `bad-${index}`, name: '' }))
  world.supplier.intercept = ({ list }) => (list === 'ListBrands' ? { body: { items: malformed } } : undefined)
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({ status: 'SUCCEEDED', error: null })
  expect(run.types.find(({ syncType }) => syncType === 'BRANDS')?.skipped).toBe(17_000)
  const { count } = await world.shop.deps.db
    .selectFrom('sync_skipped_records')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('run_id', '=', run.id)
    .executeTakeFirstOrThrow()
  expect(count).toBe(17_000)
})
