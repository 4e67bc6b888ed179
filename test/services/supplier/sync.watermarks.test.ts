import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  readWireDate,
  type ScriptedShop,
  startScriptedShop,
  wireDate,
  wireProduct,
} from '../../support/scripted-supplier.ts'

// The time from which the next run reads (docs/supplier.md).
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(async () => {
  await world.startOver()
  world.supplier.aheadMs = HOUR
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists = {
    ListCategories: [{ id: 'c', name: 'Category', updatedAt }],
    ListBrands: [{ id: 'b', name: 'Brand', updatedAt }],
    ListProducts: Array.from({ length: 150 }, (_, index) => wireProduct(`p${index + 100}`)),
  }
})
afterAll(() => world.close())

const HOUR = 3_600_000
const asksFrom = () => readWireDate(world.takeAsked('ListProducts')[0]?.dateFrom).getTime()
const watermark = async () =>
  (
    await world.shop.deps.db
      .selectFrom('sync_state')
      .select('last_sync_time')
      .where('sync_type', '=', 'PRODUCTS')
      .executeTakeFirstOrThrow()
  ).last_sync_time.getTime()
const touch = (from: number, count: number) => {
  for (const [index, product] of world.supplier.lists.ListProducts.entries()) {
    if (index < from || index >= from + count) continue
    world.supplier.lists.ListProducts[index] = { ...product, updatedAt: wireDate(new Date()) }
  }
}

test.each([
  ['behind ours', -2 * HOUR],
  ['ahead of ours', 2 * HOUR],
])('takes the earlier of both times as the watermark with a supplier’s clock %s', async (_, offset) => {
  const beganAt = Date.now()
  world.supplier.aheadMs = offset
  const { startedAt } = await world.sync()
  if (offset > 0) expect(await watermark()).toBe(Date.parse(startedAt))
  else {
    expect(await watermark()).toBeGreaterThanOrEqual(beganAt + offset - 1000)
    expect(await watermark()).toBeLessThanOrEqual(Date.now() + offset)
  }
})

test.each(['', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
  'uses the shop’s time if the supplier’s date is invalid (%j)',
  async (date) => {
    world.supplier.intercept = ({ list }) =>
      list === 'ListCategories' ? { headers: { date }, body: { items: [] } } : undefined
    const { startedAt } = await world.sync()
    expect(await watermark()).toBe(Date.parse(startedAt))
  },
)

async function priceOf(externalId: string): Promise<string | null> {
  const products = world.shop.deps.db.selectFrom('products').select('price')
  return (await products.where('external_id', '=', externalId).executeTakeFirstOrThrow()).price
}

test('reads a change made right after a run by a supplier with a slow clock', async () => {
  const behind = 10 * 60_000
  world.supplier.aheadMs = -behind
  await world.sync()
  world.supplier.lists.ListProducts[0] = wireProduct('p100', {
    price: 5,
    updatedAt: wireDate(new Date(Date.now() - behind + 1000)),
  })
  await world.sync()
  expect(await priceOf('p100')).toBe('5.00')
})

test('reads what changed since a supplier set its clock back', async () => {
  await world.sync()
  world.supplier.aheadMs = -25 * HOUR
  const updatedAt = wireDate(new Date(Date.now() - 25 * HOUR))
  world.supplier.lists.ListProducts[0] = wireProduct('p100', { price: 5, updatedAt })
  await world.sync()
  expect(await priceOf('p100')).toBe('5.00')
  // Both clocks are right again: lists are incremental.
  world.takeAsked('ListProducts')
  await world.sync()
  expect(asksFrom()).toBeLessThan(Date.now() - 24 * HOUR)
})

test('reads an incremental list of several pages twice from the same time', async () => {
  await world.sync()
  world.takeAsked('ListProducts')
  const from = await watermark()
  touch(0, 150)
  const first = await world.sync()
  expect(asksFrom()).toBe(from)
  expect(await watermark()).toBe(from)

  await world.sync()
  expect(asksFrom()).toBe(from)
  // The next time is the start of the first of the two runs.
  const repeated = await watermark()
  expect(repeated).toBe(Date.parse(first.startedAt))

  await world.sync()
  expect(asksFrom()).toBe(repeated)
})

test('reads a product that slipped between two pages with the next run', async () => {
  await world.sync()
  touch(0, 150)
  const { ListProducts } = world.supplier.lists
  const victim = ListProducts[100]
  world.supplier.lists.ListProducts[100] = {
    ...ListProducts[100],
    id: 'p200',
    name: 'Slipped',
    updatedAt: wireDate(new Date()),
  }
  world.supplier.intercept = ({ list, page }) => {
    // Between the pages a record at the front leaves the list: all behind it move up by one.
    if (list === 'ListProducts' && page === 2) {
      const [gone] = world.supplier.lists.ListProducts.splice(0, 1)
      if (gone) world.supplier.lists.ListProducts.push({ ...gone, updatedAt: '01.01.2026 00:00:00.000' })
    }
    return undefined
  }
  await world.sync()
  const nameOf = async () =>
    (
      await world.shop.deps.db
        .selectFrom('products')
        .select('name')
        .where('external_id', '=', 'p200')
        .executeTakeFirstOrThrow()
    ).name
  expect(await nameOf()).toBe(victim?.name)
  world.supplier.intercept = null
  await world.sync()
  expect(await nameOf()).toBe('Slipped')
})

test('advances the watermark after one incremental page or a full load of several', async () => {
  await world.sync()
  const before = await watermark()
  touch(0, 3)
  await world.sync()
  const after = await watermark()
  expect(after).toBeGreaterThanOrEqual(before)
  await world.sync({ full: true })
  expect(await watermark()).toBeGreaterThanOrEqual(after)
  const { next_sync_time } = await world.shop.deps.db
    .selectFrom('sync_state')
    .selectAll()
    .where('sync_type', '=', 'PRODUCTS')
    .executeTakeFirstOrThrow()
  expect(next_sync_time).toBeNull()
})

test('ignores a watermark in the future', async () => {
  await world.sync()
  const { db } = world.shop.deps
  await db
    .updateTable('sync_state')
    .set({ last_sync_time: new Date(Date.now() + HOUR) })
    .execute()
  const run = await world.sync()
  expect(run.types.map(({ fullLoad }) => fullLoad)).toEqual([true, true, true])
  expect(await watermark()).toBeLessThanOrEqual(Date.now())
})
