import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { StaffCategory as Category, CategoryNode } from '../../src/schemas/categories.ts'
import { loginAs } from '../support/accounts.ts'
import { emptyTables } from '../support/database.ts'
import { createCategory } from '../support/factories.ts'
import { untilWaiting, whileLocked } from '../support/locks.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let editor: string

beforeAll(async () => {
  shop = await startTestShop()
  editor = await loginAs(shop, 'EDITOR')
})
beforeEach(async () => {
  await emptyTables(shop.deps.db, 'products, categories, deleted_categories, slug_history, audit_log')
  shop.deps.caches.clear()
})
afterAll(() => shop.close())

const PATH = '/api/v1/categories'
const send = (method: string, path: string, body?: unknown) =>
  shop.call(method, PATH + path, { token: editor, ...(body === undefined ? {} : { body }) })
const read = async (id: number): Promise<Category> => JSON.parse((await send('GET', `/${id}`)).text)

type Outline = (string | [string, Outline])[]
async function tree(): Promise<Outline> {
  const nodes: CategoryNode[] = JSON.parse((await shop.call('GET', `${PATH}/tree`)).text)
  const walk = (level: CategoryNode[]): Outline =>
    level.map(({ name, children }) => (children.length > 0 ? [name, walk(children)] : name))
  return walk(nodes)
}

test('moves a category to a position among its siblings and numbers them from 0', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Верх' })
  const [c, a, b] = [
    await createCategory(db, { name: 'В', parentId: top }),
    await createCategory(db, { name: 'А', parentId: top, enabled: false }),
    await createCategory(db, { name: 'Б', parentId: top }),
  ]
  const moved = await send('POST', `/${c}/move`, { parentId: top, position: 1 })
  const expected = { id: c, parentId: top, displayOrder: 1, categoryLockedByGbstore: false, version: 2 }
  expect(moved.body).toMatchObject(expected)
  expect(await tree()).toEqual([['Верх', ['В', 'Б']]])
  expect([(await read(a)).displayOrder, (await read(b)).displayOrder]).toEqual([0, 2])
  expect((await send('POST', `/${a}/move`, { parentId: top, position: 2_147_483_647 })).body).toMatchObject({
    displayOrder: 2,
  })
  expect((await send('POST', `/${a}/move`, { parentId: null, position: 0 })).body).toMatchObject({
    parentId: null,
  })
  expect(await tree()).toEqual([['Верх', ['В', 'Б']]])
  const staff: { name: string }[] = JSON.parse((await send('GET', '')).text)
  expect(staff.map(({ name }) => name)).toEqual(['А', 'Верх', 'В', 'Б'])
  expect((await send('POST', '', { name: 'Абв', parentId: top })).body).toMatchObject({ displayOrder: 2 })
})

test('rejects a cycle with 409', async () => {
  const { db } = shop.deps
  const top = await createCategory(db)
  const middle = await createCategory(db, { parentId: top })
  const low = await createCategory(db, { parentId: middle })
  for (const parentId of [top, middle, low]) {
    const answers = [
      await send('POST', `/${top}/move`, { parentId, position: 0 }),
      await send('PUT', `/${top}`, { name: 'x', parentId }),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { code: 'CATEGORY_CYCLE' } })
  }
  expect(await read(top)).toMatchObject({ version: 1, parentId: null })
})

test('reorders exactly the children of a category', async () => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Верх' })
  const ids: number[] = []
  for (const name of ['А', 'Б', 'В']) ids.push(await createCategory(db, { name, parentId: top }))
  const wanted = ids.toReversed()
  const answer = await send('POST', '/reorder', { parentId: top, ids: wanted })
  const listed: Category[] = JSON.parse(answer.text)
  expect(listed.map(({ id, displayOrder, version }) => [id, displayOrder, version])).toEqual([
    [wanted[0], 0, 2],
    [wanted[1], 1, 2],
    [wanted[2], 2, 1],
  ])
  expect(await tree()).toEqual([['Верх', ['В', 'Б', 'А']]])
  const wrong = await send('POST', '/reorder', { parentId: top, ids: [ids[0], ids[1], top] })
  expect(wrong).toMatchObject({ status: 409, body: { code: 'CHILDREN_DIFFER' } })
  expect(await send('POST', '/reorder', { parentId: null, ids: [top] })).toMatchObject({ status: 200 })
})

test.each([
  ['unnumbered', [0, 0, 0, 0]],
  ['numbered', [0, 1, 2, 3]],
  ['numbered with gaps', [10, 20, 30, 40]],
])('raises the version of the moved category alone, among %s siblings', async (_, numbers) => {
  const { db } = shop.deps
  const top = await createCategory(db, { name: 'Верх' })
  const ids: number[] = []
  for (const name of ['А', 'Б', 'В', 'Г']) ids.push(await createCategory(db, { name, parentId: top }))
  for (const [n, display_order] of numbers.entries()) {
    await db
      .updateTable('categories')
      .set({ display_order })
      .where('id', '=', ids[n] ?? 0)
      .execute()
  }
  const [a = 0, b = 0, c = 0, d = 0] = ids
  const versions = async () => {
    const list: Category[] = JSON.parse((await send('GET', '')).text)
    return Object.fromEntries(list.map(({ name, version }) => [name, version]))
  }
  const children = async () => (await tree())[0]?.[1]

  await send('POST', `/${c}/move`, { parentId: top, position: 0 })
  expect(await children()).toEqual(['В', 'А', 'Б', 'Г'])
  expect(await versions()).toEqual({ Верх: 1, А: 1, Б: 1, В: 2, Г: 1 })

  await send('POST', '/reorder', { parentId: top, ids: [a, b, c, d] })
  expect(await children()).toEqual(['А', 'Б', 'В', 'Г'])
  expect(await versions()).toEqual({ Верх: 1, А: 1, Б: 1, В: 3, Г: 1 })

  await send('POST', '/reorder', { parentId: top, ids: [d, a, b, c] })
  expect(await versions()).toEqual({ Верх: 1, А: 1, Б: 1, В: 3, Г: 2 })
  await send('POST', '/reorder', { parentId: top, ids: [d, a, b, c] })
  expect(await versions()).toEqual({ Верх: 1, А: 1, Б: 1, В: 3, Г: 2 })

  // The form of a sibling that was opened before is still current.
  const headers = { 'if-match': '"1"' }
  const edit = { token: editor, headers, body: { name: 'Ая' } }
  expect(await shop.call('PUT', `${PATH}/${a}`, edit)).toMatchObject({ status: 200, body: { version: 2 } })
})

test('makes no cycle of two concurrent moves, and keeps an order when a move meets a reorder', async () => {
  const { db } = shop.deps
  const [a, b] = [await createCategory(db), await createCategory(db)]
  const [both] = await whileLocked(db, 'categoryTree', async () => {
    const moves = Promise.all([
      send('POST', `/${a}/move`, { parentId: b, position: 0 }),
      send('POST', `/${b}/move`, { parentId: a, position: 0 }),
    ])
    await untilWaiting(db, 2)
    return [moves]
  })
  expect((await both)?.map(({ status }) => status).toSorted()).toEqual([200, 409])

  const top = await createCategory(db)
  const ids: number[] = []
  for (let n = 0; n < 4; n++) ids.push(await createCategory(db, { parentId: top }))
  const [first = 0, ...rest] = ids
  const [answers] = await whileLocked(db, 'categoryTree', async () => {
    const work = Promise.all([
      send('POST', `/${first}/move`, { parentId: null, position: 0 }),
      send('POST', '/reorder', { parentId: top, ids: ids.toReversed() }),
    ])
    await untilWaiting(db, 2)
    return [work]
  })
  const [move, reorder] = (await answers) ?? []
  expect(move?.status).toBe(200)
  expect([200, 409]).toContain(reorder?.status)
  const rows = await db.selectFrom('categories').select(['id', 'display_order']).where('parent_id', '=', top).execute()
  expect(rows.map(({ id }) => id).toSorted()).toEqual(rest.toSorted())
  expect(new Set(rows.map((row) => row.display_order)).size).toBe(reorder?.status === 200 ? 3 : 1)
})
