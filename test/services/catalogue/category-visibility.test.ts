import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  testFilter,
  updateVisibility,
  updateVisibilityIfEnabled,
} from '../../../src/services/catalogue/category-visibility.ts'
import { loginAs } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { createCategory, createProduct } from '../../support/factories.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

let world: ScriptedShop
let shop: TestShop
let other: TestShop
let editor: string

beforeAll(async () => {
  world = await startScriptedShop({}, { publishes: true })
  shop = world.shop
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  editor = await loginAs(shop, 'EDITOR')
})
beforeEach(async () => {
  await world.startOver()
  await emptyTables(shop.deps.db, 'category_regex_filters, sync_runs')
  await switchJob('true')
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await world.close()
})

async function switchJob(value: string): Promise<void> {
  const key = 'job_category_visibility_enabled'
  await shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).execute()
}

async function rule(pattern: string, target = 'name'): Promise<void> {
  await sql`insert into category_regex_filters (pattern, target) values (${pattern}, ${target})`.execute(shop.deps.db)
}

async function hidden(): Promise<string[]> {
  const rows = await shop.deps.db
    .selectFrom('categories')
    .select('name')
    .where('auto_hidden_by_visibility_sync', '=', true)
    .orderBy('name')
    .execute()
  return rows.map(({ name }) => name)
}

async function shown(on = shop): Promise<string[]> {
  const rows: { name: string }[] = JSON.parse((await on.call('GET', '/api/v1/categories')).text)
  return rows.map(({ name }) => name)
}

async function run(): Promise<string[]> {
  await updateVisibility(shop.deps)
  return hidden()
}

test('hides categories without active products and shows them again, on every instance', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Инструмент' })
  const drills = await createCategory(db, { name: 'Дрели', parentId: top })
  const saws = await createCategory(db, { name: 'Пилы', parentId: top })
  await createCategory(db, { name: 'Пустая' })
  await createProduct(db, { categoryId: drills })
  const saw = await createProduct(db, { categoryId: saws, activeOverride: false })
  expect([await shown(other), await run()]).toEqual([
    ['Инструмент', 'Дрели', 'Пилы', 'Пустая'],
    ['Пилы', 'Пустая'],
  ])
  expect(await shown()).toEqual(['Инструмент', 'Дрели'])
  await expect.poll(() => shown(other), SOON).toEqual(['Инструмент', 'Дрели'])

  await db.updateTable('products').set({ active_override: true }).where('id', '=', saw).execute()
  await db.deleteFrom('products').where('category_id', '=', drills).execute()
  expect(await run()).toEqual(['Дрели', 'Пустая'])
  await expect.poll(() => shown(other), SOON).toEqual(['Инструмент', 'Пилы'])
  await db.deleteFrom('products').execute()
  expect(await run()).toEqual(['Дрели', 'Инструмент', 'Пилы', 'Пустая'])
})

test('changes only its own flag, and leaves disabled categories disabled', async () => {
  const { db } = shop.deps
  const off = await createCategory(db, { name: 'Выключена', enabled: false })
  await createProduct(db, { categoryId: off })
  const on = await createCategory(db, { name: 'Пустая' })
  const others = () =>
    sql`select to_jsonb(c) - 'auto_hidden_by_visibility_sync' - 'updated_at' as row from categories c order by id`.execute(
      db,
    )
  const before = (await others()).rows
  expect(await run()).toEqual(['Пустая'])
  await createProduct(db, { categoryId: on })
  expect(await run()).toEqual([])
  expect((await others()).rows).toEqual(before)
})

test('a second run writes nothing', async () => {
  const { db } = shop.deps
  await createCategory(db, { name: 'Пустая' })
  await createProduct(db, { categoryId: await createCategory(db, { name: 'Архив' }) })
  await rule('архив')
  const rows = async () => (await sql`select id, xmin::text, updated_at from categories order by id`.execute(db)).rows
  expect(await run()).toEqual(['Архив', 'Пустая'])
  const before = await rows()
  await Promise.all([updateVisibility(shop.deps), updateVisibility(other.deps), updateVisibility(shop.deps)])
  expect(await rows()).toEqual(before)
})

test('hides by name or path', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Расходники' })
  for (const name of ['Картриджи', 'Архив']) {
    await createProduct(db, { categoryId: await createCategory(db, { name, parentId: top }) })
  }
  await rule('^АРХИВ$', 'path')
  expect(await run()).toEqual([])
  await rule('/ архив$', 'path')
  await rule('(?P<same>картридж)')
  await rule('(?P<same>картр)|(?-i:архив)')
  expect(await run()).toEqual(['Архив', 'Картриджи'])
  await sql`update category_regex_filters set active = false where pattern like '%картр%'`.execute(db)
  expect(await run()).toEqual(['Архив'])
})

test.each(['RUNNING', 'FAILED'])('hides nothing new for lack of products while the last sync is %s', async (status) => {
  const { db } = shop.deps
  const lastSync = async (is: string) => {
    await emptyTables(db, 'sync_runs')
    await sql`insert into sync_runs (status, trigger, started_at) values (${is}, 'CRON', now())`.execute(db)
  }
  await createCategory(db, { name: 'Давно пустая' })
  const filled = await createCategory(db, { name: 'Была пустая' })
  await lastSync('SUCCEEDED')
  expect(await run()).toEqual(['Была пустая', 'Давно пустая'])
  await lastSync(status)
  await createProduct(db, { categoryId: filled })
  await createCategory(db, { name: 'Новая пустая' })
  await createProduct(db, { categoryId: await createCategory(db, { name: 'Архив' }) })
  await rule('архив')
  expect(await run()).toEqual(['Архив', 'Давно пустая'])
  await lastSync('SUCCEEDED')
  expect(await run()).toEqual(['Архив', 'Давно пустая', 'Новая пустая'])
})

test('hides empty categories in the shop and in the feed after a sync', async () => {
  const category = (id: string, name: string) => ({
    id,
    name,
    parentId: null,
    updatedAt: wireDate(new Date('2026-01-01T00:00:00Z')),
  })
  world.supplier.lists = {
    ListCategories: [category('full', 'Полная'), category('empty', 'Пустая')],
    ListBrands: [],
    ListProducts: [wireProduct('one', { categoryId: 'full' })],
  }
  await world.sync()
  expect(await shown()).toEqual(['Полная'])
  const feed = (await shop.call('GET', '/api/v1/yml-catalog.xml')).text
  expect([feed.includes('Полная'), feed.includes('Пустая')]).toEqual([true, false])
  world.supplier.lists.ListProducts.push(wireProduct('two', { categoryId: 'empty' }))
  await world.sync({ full: true })
  expect(await shown()).toEqual(['Полная', 'Пустая'])

  world.supplier.lists.ListCategories.push(category('next', 'Следующая'))
  world.supplier.intercept = ({ list }) =>
    list === 'ListProducts' ? { status: 400, body: { error: 'no' } } : undefined
  expect(await world.sync({ full: true })).toMatchObject({ status: 'FAILED' })
  expect(await shown()).toEqual(['Полная', 'Пустая', 'Следующая'])
  world.supplier.intercept = null
  await world.sync()
  expect(await shown()).toEqual(['Полная', 'Пустая'])
})

test('follows no sync and no edit while the job is switched off', async () => {
  const { db } = shop.deps
  const follow = async () => {
    await updateVisibilityIfEnabled(shop.deps)
    return hidden()
  }
  const empty = await createCategory(db, { name: 'Пустая' })
  await switchJob('false')
  expect(await follow()).toEqual([])
  await switchJob('true')
  expect(await follow()).toEqual(['Пустая'])
  await switchJob('false')
  await createProduct(db, { categoryId: empty })
  expect(await follow()).toEqual(['Пустая'])
})

test('copes with cycles and missing parents in the supplier’s data', async () => {
  const { db } = shop.deps
  const [a, b, c] = [
    await createCategory(db, { name: 'А' }),
    await createCategory(db, { name: 'Б' }),
    await createCategory(db, { name: 'В' }),
  ]
  await sql`update categories set parent_id = case id when ${a}::int then ${c}::int when ${b}::int then ${a}::int else ${b}::int end`.execute(
    db,
  )
  await createProduct(db, { categoryId: b })
  // The cycle is cut above А: Б is below it, and the empty В below Б.
  expect(await run()).toEqual(['В'])
})

test('keeps the edits of an editor who hides a category during a run', async () => {
  const { db } = shop.deps
  const id = await createCategory(db, { name: 'Дрели' })
  await rule('дрели')
  const [work] = await whileLocked(db, 'categoryTree', async () => {
    const both = Promise.all([
      updateVisibility(other.deps),
      shop.call('PUT', `/api/v1/categories/${id}`, {
        token: editor,
        body: { name: 'Дрели', enabled: false },
      }),
    ])
    await untilWaiting(db, 2)
    return [both]
  })
  expect((await work)?.[1].status).toBe(200)
  const flags = async () =>
    db.selectFrom('categories').select(['enabled', 'auto_hidden_by_visibility_sync as hidden']).execute()
  expect(await flags()).toEqual([{ enabled: false, hidden: true }])
  await emptyTables(db, 'category_regex_filters')
  await createProduct(db, { categoryId: id })
  await run()
  expect(await flags()).toEqual([{ enabled: false, hidden: false }])
  expect(await shown()).toEqual([])
})

test('never overwrites a later decision with one from older data', async () => {
  const { db } = shop.deps
  const id = await createCategory(db, { name: 'Дрели' })
  const [work] = await whileLocked(db, 'categoryVisibility', async () => {
    const first = updateVisibility(other.deps)
    await untilWaiting(db, 1)
    await createProduct(db, { categoryId: id })
    return [first]
  })
  await work
  expect(await hidden()).toEqual([])
})

test('gives up on a pattern that takes long for all categories together', async () => {
  for (const name of ['Дрели', 'Пилы']) await createCategory(shop.deps.db, { name })
  // Comparing a name takes half a minute.
  let time = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 30_000
    return time
  })
  onTestFinished(() => clock.mockRestore())
  await expect(testFilter(shop.deps, { pattern: 'пил', target: 'name' })).rejects.toMatchObject({
    status: 400,
    extras: { faults: [{ path: 'pattern', code: 'PATTERN_TOO_SLOW' }] },
  })
})

test('matches pathological patterns in linear time', async () => {
  const { db } = shop.deps
  const evil = `${'а'.repeat(900)}!`
  await createProduct(db, { categoryId: await createCategory(db, { name: evil }) })
  for (const pattern of ['(а+)+$', '(а|а)*б', '(.*а){20}$', '^(([а-я])+.)+[А-Я]([а-я])+$']) await rule(pattern)
  expect(await run()).toEqual([])
})
