import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PipelineRun } from '../../../src/schemas/pipeline.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let server: FeedServer
let admin: string

beforeAll(async () => {
  server = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: server.url })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await shop.close()
  await server.close()
})

const FEED = '/api/v1/admin/xml-feed'
const send = (method: string, path: string, body?: unknown) =>
  shop.call(method, path, { token: admin, ...(body === undefined ? {} : { body }) })

async function sync(): Promise<PipelineRun> {
  const answer = await send('POST', `${FEED}/sync?wait=true`)
  expect(answer.status).toBe(200)
  return answer.body as PipelineRun
}
const stageOf = (run: PipelineRun, name: string) => run.stages.find(({ stage }) => stage === name)

test('renames, moves and locks a mapped category, at once and with each run', async () => {
  const { db } = shop.deps
  const [tools = 0, saws = 0] = [
    await createCategory(db, { externalId: 'c1' }),
    await createCategory(db, { externalId: 'c2' }),
  ]
  const categories = [
    { id: '1', name: 'Инструмент' },
    { id: '1.5', name: 'Electric', parentId: '1' },
    { id: 'pl/ 2', name: 'Пилы', parentId: '1.5' },
  ]
  server.serve(feedXml({ categories, offers: [{ id: 'x', categoryId: 'pl/ 2' }] }))
  await sync()
  expect((await send('GET', `${FEED}/categories`)).body).toEqual([
    { id: '1', name: 'Инструмент', parentId: null, offers: 0, inFeed: true, category: null },
    { id: '1.5', name: 'Electric', parentId: '1', offers: 0, inFeed: true, category: null },
    { id: 'pl/ 2', name: 'Пилы', parentId: '1.5', offers: 1, inFeed: true, category: null },
  ])
  const map = (feedId: string, categoryId: number) =>
    send('PUT', `${FEED}/category-mappings/${encodeURIComponent(feedId)}`, { categoryId })
  const category = (id: number) =>
    db.selectFrom('categories').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

  const beforeMapping = await category(saws)
  expect(await map('pl/ 2', saws)).toMatchObject({
    status: 200,
    body: { category: { id: saws, name: 'Пилы' } },
  })
  const mapped = { name: 'Пилы', parent_id: null, category_locked_by_gbstore: true, version: 2 }
  expect(await category(saws)).toMatchObject(mapped)
  await map('pl/ 2', saws)
  expect(await category(saws)).toMatchObject(mapped)
  await map('1', tools)
  expect(await category(saws)).toMatchObject({ parent_id: tools, parent_external_id: 'c1' })
  const tree = (await shop.call('GET', '/api/v1/categories/tree')).body
  expect(tree).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ name: 'Инструмент', children: [expect.objectContaining({ name: 'Пилы' })] }),
    ]),
  )

  server.serve(feedXml({ categories: categories.map((one) => ({ ...one, name: `${one.name}!` })) }))
  expect(stageOf(await sync(), 'CATEGORY_MAPPING')?.counts).toEqual({ mapped: 2, changed: 2, refused: 0 })
  expect(await category(saws)).toMatchObject({ name: 'Пилы!' })

  expect(await map('1.5', saws)).toMatchObject({ status: 409, body: { code: 'CATEGORY_MAPPED' } })
  expect(await map('1.5', 2_000_000_000)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'categoryId' }] },
  })
  expect((await map('nobody', saws)).status).toBe(404)

  // It stays as long as it is mapped.
  server.serve(feedXml({ categories: [] }))
  await sync()
  expect((await send('GET', `${FEED}/categories`)).body).toMatchObject([
    { id: '1', inFeed: false, offers: 0 },
    { id: 'pl/ 2', inFeed: false },
  ])
  const unmap = () => send('DELETE', `${FEED}/category-mappings/${encodeURIComponent('pl/ 2')}`)
  expect((await unmap()).status).toBe(204)
  expect((await unmap()).status).toBe(404)
  expect(await category(saws)).toMatchObject({ category_locked_by_gbstore: false, name: 'Пилы!', version: 5 })
  const audit = await send('GET', '/api/v1/admin/audit?entity=CATEGORY_MAPPING&entityId=pl%2F%202')
  expect(audit.body).toMatchObject({
    content: [{ action: 'DELETE' }, { action: 'CREATE', after: { categoryId: saws } }],
  })
  const edits = await send('GET', `/api/v1/admin/audit?entity=CATEGORY&entityId=${saws}`)
  expect(edits.body).toMatchObject({
    content: [
      { action: 'UPDATE', before: { categoryLockedByGbstore: true }, after: { categoryLockedByGbstore: false } },
      {
        action: 'UPDATE',
        before: { name: beforeMapping.name },
        after: { name: 'Пилы', categoryLockedByGbstore: true },
      },
    ],
  })
})

test('restores the lock of a category that is no longer mapped, and lets one of two concurrent mappings win', async () => {
  const { db } = shop.deps
  const ids = [await createCategory(db), await createCategory(db)]
  server.serve(
    feedXml({
      categories: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    }),
  )
  await sync()
  const map = (feedId: string, categoryId = 0) => send('PUT', `${FEED}/category-mappings/${feedId}`, { categoryId })
  const locks = async () => {
    const rows = await db
      .selectFrom('categories')
      .select('category_locked_by_gbstore as locked')
      .where('id', 'in', ids)
      .orderBy('id')
      .execute()
    return rows.map(({ locked }) => locked)
  }
  await map('a', ids[0])
  await map('a', ids[1])
  expect(await locks()).toEqual([false, true])
  await send('DELETE', `${FEED}/category-mappings/a`)
  expect(await locks()).toEqual([false, false])

  // What staff had locked before stays locked, however often its mapping is written.
  await db
    .updateTable('categories')
    .set({ category_locked_by_gbstore: true })
    .where('id', '=', ids[1] ?? 0)
    .execute()
  for (const id of [ids[1], ids[1], ids[0]]) await map('a', id)
  expect(await locks()).toEqual([true, true])
  await send('DELETE', `${FEED}/category-mappings/a`)
  expect(await locks()).toEqual([false, true])
  const versionOf = (id = 0) =>
    db.selectFrom('categories').select('version').where('id', '=', id).executeTakeFirstOrThrow()
  await map('a', ids[1])
  const version = await versionOf(ids[1])
  await send('DELETE', `${FEED}/category-mappings/a`)
  expect(await versionOf(ids[1])).toEqual(version)

  const both = await Promise.all([map('a', ids[0]), map('b', ids[0])])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
})
