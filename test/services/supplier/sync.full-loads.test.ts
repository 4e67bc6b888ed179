import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

// What a full load proves, and what it does not (contract section 8, "Sync").
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
/** For which lists the last run asked for everything. */
const fullOf = (run: Awaited<ReturnType<ScriptedShop['sync']>>) =>
  run.types.filter(({ fullLoad }) => fullLoad).map(({ syncType }) => syncType)

test('what one full load misses stays active, and the next one is asked to confirm it', async () => {
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

test('a product that was missed once and is listed again was never gone', async () => {
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

test('what is missed for the first time asks for one more; what was missed twice goes', async () => {
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

test('a load that misses too much is no proof of what the next one misses', async () => {
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

test('inactive at once for every reader', async () => {
  await world.sync()
  const { deps, call } = world.shop
  const { id } = await deps.db
    .selectFrom('products')
    .select('id')
    .where('external_id', '=', 'p10')
    .executeTakeFirstOrThrow()
  const card = () => call('GET', `/api/v1/products/${id}`)
  expect((await card()).status).toBe(200)
  remove('p10')
  await world.sync({ full: true })
  expect((await card()).status).toBe(200)
  await world.sync()
  expect((await card()).status).toBe(404)
})

test('more than a fifth is the operator’s to accept, however often it is missed', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  await world.sync()
  const before = await states()
  remove('p10', 'p11', 'p12', 'p13', 'p14')
  for (const options of [{ full: true }, undefined, undefined]) {
    const run = await world.sync(options)
    expect(run).toMatchObject({
      status: 'SUCCEEDED',
      warnings: [
        expect.stringMatching(/^5 of 20 active products .* none was made inactive.*acceptVanished=true/),
      ],
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

test('the operator’s word is for what was missed before, not for what goes missing during that very run', async () => {
  await world.sync()
  remove('p10', 'p11', 'p12', 'p13', 'p14')
  await world.sync({ full: true })
  world.supplier.lists.ListProducts = []
  const accepted = await world.sync({ acceptVanished: true })
  expect(accepted.types.at(-1)).toMatchObject({ fullLoad: true, deactivated: 5 })
  expect(accepted.warnings).toEqual([expect.stringContaining('15')])
  expect(await world.active()).toHaveLength(15)
})

test('an empty full list of products moves nothing', async () => {
  await world.sync()
  const before = await states()
  world.supplier.lists.ListProducts = []
  for (const options of [{ full: true }, undefined, undefined]) {
    expect(await world.sync(options)).toMatchObject({ warnings: [expect.stringContaining('20 of 20')] })
  }
  expect(await world.active()).toHaveLength(20)
  expect((await states()).PRODUCTS).toBe(before.PRODUCTS)
  await world.sync({ acceptVanished: true })
  expect(await world.active()).toEqual([])
})

test('an empty list for a shop that never had anything is believed the second time, and asked for all the same', async () => {
  world.supplier.lists = { ListCategories: [], ListBrands: [], ListProducts: [] }
  const first = await world.sync()
  expect(first.status).toBe('SUCCEEDED')
  expect(first.warnings).toHaveLength(3)
  expect(await states()).toEqual({})
  await world.sync()
  expect(Object.keys(await states())).toHaveLength(3)
  // Long before the watermark: only a list of everything brings it.
  world.supplier.lists.ListProducts = [wireProduct('late')]
  await world.sync()
  expect(await world.active()).toEqual(['late'])
})

test('an empty or cut list of categories or brands moves their watermark only when it comes twice', async () => {
  const updatedAt = '01.01.2026 00:00:00.000'
  world.supplier.lists.ListCategories.push({ id: 'c2', name: 'Category 2', updatedAt })
  await world.sync()
  const before = await states()
  world.supplier.lists.ListBrands = []
  world.supplier.lists.ListCategories.pop()
  const first = await world.sync({ full: true })
  expect(first.warnings).toEqual([expect.stringContaining('categor'), expect.stringContaining('brand')])
  const between = await states()
  expect([between.CATEGORIES, between.BRANDS]).toEqual([before.CATEGORIES, before.BRANDS])
  const second = await world.sync()
  expect(fullOf(second)).toEqual(['CATEGORIES', 'BRANDS'])
  expect(second.warnings).toEqual([])
  const after = await states()
  expect(after.CATEGORIES).toBeGreaterThan(before.CATEGORIES ?? 0)
  expect(after.BRANDS).toBeGreaterThan(before.BRANDS ?? 0)
  // What is gone for good is no reason to ask for everything for ever.
  expect(fullOf(await world.sync())).toEqual([])
  await world.sync({ full: true })
  expect(fullOf(await world.sync())).toEqual([])
})

test('a full load comes every sync_full_hours, and heals what no other run can see', async () => {
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

test('?full=true asks for a full load, and a run that fails does not forget it', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  await world.sync()
  world.supplier.lie = ({ list, dateFrom }) =>
    list === 'ListProducts' && dateFrom === null ? { status: 403, body: 'closed' } : undefined
  const failed = await world.shop.call('POST', '/api/v1/admin/sync/run?wait=true&full=true', { token })
  expect(failed.body).toMatchObject({ status: 'FAILED' })
  world.supplier.lie = null
  expect(fullOf(await world.sync())).toEqual(['PRODUCTS'])
  expect(fullOf(await world.sync())).toEqual([])
})

test('sync_full_hours is a setting for staff, from an hour to a year', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  const put = (body: object) =>
    world.shop.call('PUT', '/api/v1/admin/config/sync_full_hours', { token, body })
  expect(
    (await world.shop.call('GET', '/api/v1/admin/config/sync_full_hours', { token })).body,
  ).toMatchObject({
    value: '24',
    isPublic: false,
  })
  expect((await put({ value: '0' })).status).toBe(400)
  expect((await put({ value: '24', isPublic: true })).status).toBe(400)
  expect((await put({ value: '8760' })).status).toBe(200)
})
