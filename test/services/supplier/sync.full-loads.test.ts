import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// Products missing from full loads (docs/supplier.md).
let world: ScriptedShop

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(async () => {
  await world.startOver()
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists = {
    ListCategories: [{ id: 'c', name: 'Category', updatedAt }],
    ListBrands: [{ id: 'b', name: 'Brand', updatedAt }],
    ListProducts: Array.from({ length: 20 }, (_, index) =>
      wireProduct(`p${index + 10}`, { categoryId: 'c', brandId: 'b' }),
    ),
  }
})
afterAll(() => world.close())

const remove = (...ids: string[]) => {
  const { lists } = world.supplier
  lists.ListProducts = lists.ListProducts.filter(({ id }) => !ids.includes(id))
}
const states = async () =>
  Object.fromEntries(
    (await world.shop.deps.db.selectFrom('sync_state').selectAll().execute()).map((row) => [
      row.sync_type,
      row.last_sync_time.getTime(),
    ]),
  )
/** The types that the run loaded in full. */
const fullOf = (run: Awaited<ReturnType<ScriptedShop['sync']>>) =>
  run.types.filter(({ fullLoad }) => fullLoad).map(({ syncType }) => syncType)

test('deactivates products only after two full loads in a row missed them', async () => {
  await world.sync()
  const before = await states()
  remove('p10', 'p11')
  const first = await world.sync({ full: true })
  expect(first).toMatchObject({ status: 'SUCCEEDED', warnings: [expect.stringContaining('2 of 20')] })
  expect(await world.active()).toHaveLength(20)
  expect((await states()).PRODUCTS).toBe(before.PRODUCTS)

  const second = await world.sync()
  expect(fullOf(second)).toEqual(['PRODUCTS'])
  expect(second).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  expect(second.types.at(-1)).toMatchObject({ deactivated: 2 })
  expect(await world.active()).toHaveLength(18)
  expect((await states()).PRODUCTS).toBeGreaterThan(before.PRODUCTS ?? 0)
  expect(fullOf(await world.sync())).toEqual([])
})

test('forgets a miss when the product is listed again', async () => {
  await world.sync()
  const all = [...world.supplier.lists.ListProducts]
  remove('p10')
  await world.sync({ full: true })
  world.supplier.lists.ListProducts = all
  expect(await world.sync()).toMatchObject({ warnings: [] })
  remove('p10')
  await world.sync({ full: true })
  expect(await world.active()).toHaveLength(20)
})

test('misses no product whose record it skips', async () => {
  await world.sync()
  const { lists } = world.supplier
  lists.ListProducts = lists.ListProducts.map((one) => (one.id === 'p10' ? { ...one, price: -1 } : one))
  const run = await world.sync({ full: true })
  expect(run).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  expect(run.types.at(-1)).toMatchObject({ skipped: 1 })
})

test('requires another full load after each first miss', async () => {
  await world.sync()
  remove('p10')
  await world.sync({ full: true })
  remove('p11')
  const second = await world.sync()
  expect(second.types.at(-1)).toMatchObject({ fullLoad: true, deactivated: 1 })
  expect(await world.active()).not.toContain('p10')
  expect(await world.active()).toContain('p11')
  const third = await world.sync()
  expect(third.types.at(-1)).toMatchObject({ fullLoad: true, deactivated: 1 })
  expect(fullOf(await world.sync())).toEqual([])
})

test('ignores the misses of a load that missed too many products', async () => {
  await world.sync()
  const all = [...world.supplier.lists.ListProducts]
  world.supplier.lists.ListProducts = all.slice(0, 5)
  await world.sync({ full: true })
  world.supplier.lists.ListProducts = all.slice(0, 18)
  expect(await world.sync()).toMatchObject({ warnings: [expect.stringContaining('2 of 20')] })
  expect(await world.active()).toHaveLength(20)
  await world.sync()
  expect(await world.active()).toHaveLength(18)
})

test('deactivates more than a fifth of the products only when an operator accepts it', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  await world.sync()
  const before = await states()
  remove('p10', 'p11', 'p12', 'p13', 'p14')
  for (const options of [{ full: true }, undefined]) {
    const run = await world.sync(options)
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      warnings: [expect.stringMatching(/^5 of 20 active products .* none was made inactive.*acceptVanished=true/)],
    })
    expect(run.types.at(-1)).toMatchObject({ fullLoad: true, deactivated: 0 })
    expect((await states()).PRODUCTS).toBe(before.PRODUCTS)
  }
  expect(await world.active()).toHaveLength(20)

  const accepted = await world.shop.call('POST', '/admin/sync/run?wait=true&acceptVanished=true', { token })
  expect(accepted.body).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  expect(await world.active()).toHaveLength(15)
  expect((await states()).PRODUCTS).toBeGreaterThan(before.PRODUCTS ?? 0)
})

test('applies acceptVanished only to products missed before the run', async () => {
  await world.sync()
  remove('p10', 'p11', 'p12', 'p13', 'p14')
  await world.sync({ full: true })
  world.supplier.lists.ListProducts = []
  const accepted = await world.sync({ acceptVanished: true })
  expect(accepted.types.at(-1)).toMatchObject({ fullLoad: true, deactivated: 5 })
  expect(accepted.warnings).toEqual([expect.stringContaining('15')])
  expect(await world.active()).toHaveLength(15)
})

test('deactivates nothing and keeps the watermark after an empty list', async () => {
  await world.sync()
  const before = await states()
  world.supplier.lists.ListProducts = []
  for (const options of [{ full: true }, undefined]) {
    expect(await world.sync(options)).toMatchObject({ warnings: [expect.stringContaining('20 of 20')] })
  }
  expect(await world.active()).toHaveLength(20)
  expect((await states()).PRODUCTS).toBe(before.PRODUCTS)
  await world.sync({ acceptVanished: true })
  expect(await world.active()).toEqual([])
})

test('trusts the second empty list of an empty shop, but keeps reading everything', async () => {
  world.supplier.lists = { ListCategories: [], ListBrands: [], ListProducts: [] }
  const first = await world.sync()
  expect(first).toMatchObject({ status: 'SUCCEEDED', warnings: [expect.stringContaining('products is empty')] })
  expect(await states()).not.toHaveProperty('PRODUCTS')
  expect(await world.sync()).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  expect(await states()).toHaveProperty('PRODUCTS')
  // Long before the watermark: only a list of everything brings it.
  world.supplier.lists.ListProducts = [wireProduct('late')]
  await world.sync()
  expect(await world.active()).toEqual(['late'])
})

test('keeps categories and brands that are missing, and doubts an empty list of them', async () => {
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists.ListCategories.push({ id: 'c2', name: 'Category 2', updatedAt })
  await world.sync()
  const before = await states()
  world.supplier.lists.ListCategories.pop()
  const brands = world.supplier.lists.ListBrands.splice(0)
  expect(await world.sync({ full: true })).toMatchObject({ status: 'SUCCEEDED', warnings: [] })
  const after = await states()
  expect(after.CATEGORIES).toBeGreaterThan(before.CATEGORIES ?? 0)
  expect(after.BRANDS).toBe(before.BRANDS)
  const { db } = world.shop.deps
  expect(await db.selectFrom('categories').select('name').execute()).toHaveLength(2)
  expect(await db.selectFrom('brands').select('name').execute()).toHaveLength(1)

  world.supplier.lists.ListBrands = brands
  expect(fullOf(await world.sync())).toEqual(['BRANDS'])
  expect(fullOf(await world.sync())).toEqual([])
})

test('runs a full load every sync_full_hours, which repairs undetected differences', async () => {
  await world.sync()
  expect(fullOf(await world.sync())).toEqual([])
  const { db } = world.shop.deps
  await db.updateTable('products').set({ price: '1' }).where('external_id', '=', 'p10').execute()
  world.supplier.lists.ListProducts[1] = wireProduct('p11', { categoryId: 'c', brandId: 'b', price: 777 })
  remove('p12')
  await world.sync()
  expect(await world.active()).toHaveLength(20)

  const passed = (hours: number) =>
    db
      .updateTable('sync_full_loads')
      .set({ trusted_at: new Date(Date.now() - hours * 3_600_000) })
      .execute()
  await passed(23)
  expect(fullOf(await world.sync())).toEqual([])
  await passed(24.01)
  expect(fullOf(await world.sync())).toEqual(['CATEGORIES', 'BRANDS', 'PRODUCTS'])
  await world.sync()
  const prices = await db
    .selectFrom('products')
    .select(['external_id', 'price', 'active'])
    .where('external_id', 'in', ['p10', 'p11', 'p12'])
    .orderBy('external_id')
    .execute()
  expect(prices).toEqual([
    { external_id: 'p10', price: '100.00', active: true },
    { external_id: 'p11', price: '777.00', active: true },
    { external_id: 'p12', price: '100.00', active: false },
  ])

  await db.updateTable('app_config').set({ value: '2' }).where('key', '=', 'sync_full_hours').execute()
  await passed(3)
  expect(fullOf(await world.sync())).toEqual(['CATEGORIES', 'BRANDS', 'PRODUCTS'])
})

test('runs a full load for ?full=true, and repeats it after a failure', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  await world.sync()
  world.supplier.intercept = ({ list, dateFrom }) =>
    list === 'ListProducts' && dateFrom === null ? { status: 403, body: 'closed' } : undefined
  const failed = await world.shop.call('POST', '/api/v1/admin/sync/run?wait=true&full=true', { token })
  expect(failed.body).toMatchObject({ status: 'FAILED' })
  world.supplier.intercept = null
  expect(fullOf(await world.sync())).toEqual(['PRODUCTS'])
  expect(fullOf(await world.sync())).toEqual([])
})

test('accepts a sync_full_hours from one hour to a year', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  const put = (body: object) => world.shop.call('PUT', '/api/v1/admin/config/sync_full_hours', { token, body })
  expect((await world.shop.call('GET', '/api/v1/admin/config/sync_full_hours', { token })).body).toMatchObject({
    value: '24',
    isPublic: false,
  })
  expect((await put({ value: '0' })).status).toBe(400)
  expect((await put({ value: '8760' })).status).toBe(200)
})
