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
  expect(world.takeAsked('ListProducts').length).toBeLessThanOrEqual(6)
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

test('reads overlapping pages to the end', async () => {
  answerProducts((page) => ({ items: products(page * 10, 15), page, nextPage: page < 5 ? page + 1 : null }))
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED' })
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
