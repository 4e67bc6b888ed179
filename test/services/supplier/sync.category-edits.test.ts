import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { type ScriptedShop, startScriptedShop, wireDate, wireProduct } from '../../support/scripted-supplier.ts'

// Staff's changes to the supplier's categories, and how the next syncs treat them.

let world: ScriptedShop
let editor: string

beforeAll(async () => {
  world = await startScriptedShop()
  editor = await loginAs(world.shop, 'EDITOR')
})
beforeEach(async () => {
  await world.startOver()
  await setting('category_tree_orphan_as_root', 'true')
  world.shop.deps.caches.clear()
  world.supplier.lists = {
    ListCategories: [
      listed('tools', 'Инструмент'),
      listed('drills', 'Дрели', 'tools'),
      listed('impact', 'Ударные дрели', 'drills'),
      listed('paper', 'Бумага'),
    ],
    ListBrands: [],
    ListProducts: ['drills', 'impact', 'paper'].map((categoryId) => wireProduct(`in-${categoryId}`, { categoryId })),
  }
  await world.sync()
})
afterAll(() => world.close())

function listed(id: string, name: string, parentId: string | null = null, updatedAt = '2026-01-01T00:00:00Z') {
  return { id, name, parentId, updatedAt: wireDate(new Date(updatedAt)) }
}

async function setting(key: string, value: string): Promise<void> {
  await world.shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', key).execute()
}

type Row = { id: number; name: string; parentId: number | null; [field: string]: unknown }
async function read(): Promise<Row[]> {
  return JSON.parse((await world.shop.call('GET', '/api/v1/categories', { token: editor })).text)
}
async function find(externalId: string): Promise<Row> {
  const found = (await read()).find((row) => row.externalId === externalId)
  if (found === undefined) throw new Error(`There is no category ${externalId}`)
  return found
}
async function send(method: string, path: string, body?: object): Promise<Row> {
  const answer = await world.shop.call(method, `/api/v1/categories${path}`, {
    token: editor,
    ...(body && { body }),
  })
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201, 204]), expect.any(String)])
  return answer.text === '' ? { id: 0, name: '', parentId: null } : JSON.parse(answer.text)
}

/** `name < parent` of every category, in tree order. */
async function places(): Promise<string[]> {
  const rows = await read()
  const nameOf = (id: unknown) => rows.find((row) => row.id === id)?.name
  return rows.map(({ name, parentId }) => (parentId === null ? name : `${name} < ${nameOf(parentId)}`))
}

const SUPPLIED = ['Бумага', 'Инструмент', 'Дрели < Инструмент', 'Ударные дрели < Дрели']

test('keeps a name set by staff until the category is unlocked', async () => {
  expect(await places()).toEqual(SUPPLIED)
  const { id } = await find('drills')
  expect(await send('PUT', `/${id}`, { name: 'Дрели и шуруповёрты' })).toMatchObject({
    categoryLockedByGbstore: true,
    slug: 'dreli',
  })
  await world.sync({ full: true })
  expect((await find('drills')).name).toBe('Дрели и шуруповёрты')
  await send('PUT', `/${id}`, { name: 'Дрели и шуруповёрты', categoryLockedByGbstore: false })
  await world.sync()
  expect((await find('drills')).name).toBe('Дрели и шуруповёрты')
  await world.sync({ full: true })
  expect(await places()).toEqual(SUPPLIED)
})

test('does not lock a category when only other fields change', async () => {
  const { id, name } = await find('drills')
  const edited = await send('PUT', `/${id}`, { name, enabled: false, metaTitle: 'Дрели', displayOrder: 3 })
  expect(edited).toMatchObject({ categoryLockedByGbstore: false })
  await send('POST', `/${id}/move`, { parentId: edited.parentId, position: 0 })
  world.supplier.lists.ListCategories[1] = listed('drills', 'Дрели новые', 'tools')
  await world.sync({ full: true })
  expect(await find('drills')).toMatchObject({
    name: 'Дрели новые',
    enabled: false,
    metaTitle: 'Дрели',
    categoryLockedByGbstore: false,
  })
})

test.each<[string, 'move' | 'edit', () => Promise<number>]>([
  ['another supplier category', 'edit', async () => (await find('paper')).id],
  ['an own category of the shop', 'move', async () => (await send('POST', '', { name: 'Своя' })).id],
])('keeps a place below %s, by %s, until the category is unlocked', async (_name, way, place) => {
  const parentId = await place()
  const { id } = await find('drills')
  const moved =
    way === 'move'
      ? await send('POST', `/${id}/move`, { parentId, position: 0 })
      : await send('PUT', `/${id}`, { name: 'Дрели', parentId })
  expect(moved).toMatchObject({ parentId, categoryLockedByGbstore: true })
  await world.sync({ full: true })
  expect(await find('drills')).toMatchObject({ parentId })
  await send('PUT', `/${id}`, { name: 'Дрели', categoryLockedByGbstore: false })
  await world.sync({ full: true })
  expect(await find('drills')).toMatchObject({ parentId: (await find('tools')).id })
})

test('moves an unlocked category back to the top with the next full load', async () => {
  const own = await send('POST', '', { name: 'Своя' })
  const { id } = await find('paper')
  const moved = await send('PUT', `/${id}`, { name: 'Бумага', parentId: own.id, categoryLockedByGbstore: false })
  expect(moved).toMatchObject({ parentId: own.id, categoryLockedByGbstore: false })
  await world.sync()
  expect(await find('paper')).toMatchObject({ parentId: own.id })
  await world.sync({ full: true })
  expect(await find('paper')).toMatchObject({ parentId: null })
})

test('does not treat a category that staff moved to the top as an orphan', async () => {
  world.supplier.lists.ListCategories.push(listed('lost', 'Потерянная', 'unknown'))
  world.supplier.lists.ListProducts.push(wireProduct('in-lost', { categoryId: 'lost' }))
  await world.sync({ full: true })
  await setting('category_tree_orphan_as_root', 'false')
  world.shop.deps.caches.clear()
  const inTree = async () => (await world.shop.call('GET', '/api/v1/categories/tree')).text.includes('Потерянная')
  expect(await inTree()).toBe(false)
  const { id } = await find('lost')
  await send('POST', `/${id}/move`, { parentId: null, position: 0 })
  expect(await inTree()).toBe(true)
  await world.sync({ full: true })
  expect(await inTree()).toBe(true)
})

test('does not recreate a deleted category, and moves its children to the top', async () => {
  const { id } = await find('drills')
  await send('DELETE', `/${id}`)
  await setting('category_tree_orphan_as_root', 'false')
  world.shop.deps.caches.clear()
  expect(await places()).toEqual(['Бумага', 'Инструмент', 'Ударные дрели'])
  for (const options of [{ full: true }, {}]) {
    const run = await world.sync(options)
    expect(run).toMatchObject({ status: 'SUCCEEDED' })
    expect(run.types[0]).toMatchObject({ created: 0, updated: 0 })
    expect(await places()).toEqual(['Бумага', 'Инструмент', 'Ударные дрели'])
  }
  const tree = await world.shop.call('GET', '/api/v1/categories/tree')
  expect(JSON.parse(tree.text).map(({ name }: Row) => name)).toEqual(['Бумага', 'Ударные дрели'])
  const products = await world.shop.deps.db
    .selectFrom('products')
    .select(['external_id', 'category_id', 'active'])
    .where('external_id', '=', 'in-drills')
    .execute()
  expect(products).toEqual([{ external_id: 'in-drills', category_id: null, active: true }])
})

test('does not restore a cycle that staff broke', async () => {
  world.supplier.lists.ListCategories = [listed('a', 'А', 'c'), listed('b', 'Б', 'a'), listed('c', 'В', 'b')]
  await world.startOver()
  await world.sync()
  expect(await places()).toEqual(['А', 'Б < А', 'В < Б'])
  await send('POST', `/${(await find('c')).id}/move`, { parentId: null, position: 0 })
  expect(await places()).toEqual(['В', 'А < В', 'Б < А'])
  await world.sync({ full: true })
  expect(await places()).toEqual(['В', 'А < В', 'Б < А'])
})

test('serializes a sync and concurrent edits without rejecting any', async () => {
  const { db } = world.shop.deps
  const { id } = await find('impact')
  const paper = await find('paper')
  world.supplier.lists.ListCategories.push(listed('new', 'Новая', 'drills'))
  const [work] = await whileLocked(db, 'categoryTree', async () => {
    const all = Promise.all([
      world.sync({ full: true }),
      send('POST', `/${id}/move`, { parentId: paper.id, position: 0 }),
      send('PUT', `/${paper.id}/slug`, { slug: 'bumaga-1' }),
      send('POST', '', { name: 'Новая' }),
    ])
    await untilWaiting(db, 4)
    return [all]
  })
  expect((await work)?.[0]).toMatchObject({ status: 'SUCCEEDED' })
  expect((await read()).filter(({ name }) => name === 'Новая')).toHaveLength(2)
})
