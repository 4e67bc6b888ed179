import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { PipelineRun } from '../../../src/schemas/pipeline.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory, createImage, createProduct } from '../../support/factories.ts'
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
beforeEach(async () => {
  const { db } = shop.deps
  for (const table of ['attribute_rules', 'category_mappings', 'xml_feed_categories', 'products'] as const) {
    await db.deleteFrom(table).execute()
  }
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await shop.close()
  await server.close()
})

const FEED = '/api/v1/admin/xml-feed'
const PIPELINE = '/api/v1/admin/xml-pipeline'
const send = (method: string, path: string, body?: unknown) =>
  shop.call(method, path, { token: admin, ...(body === undefined ? {} : { body }) })

async function sync(query = ''): Promise<PipelineRun> {
  const answer = await send('POST', `${FEED}/sync?wait=true${query}`)
  expect(answer.status).toBe(200)
  return answer.body as PipelineRun
}
const stageOf = (run: PipelineRun, name: string) => run.stages.find(({ stage }) => stage === name)
const attributesOf = async (id: number) => (await send('GET', `/api/v1/products/${id}/attributes`)).body
const stored = (id: number) =>
  shop.deps.db.selectFrom('product_attributes').selectAll().where('product_id', '=', id).execute()

test('runs all stages and records their counts', async () => {
  const product = await createProduct(shop.deps.db, { externalId: 'T1' })
  server.serve(
    feedXml({
      categories: [{ id: '7', name: 'Saws' }],
      offers: [
        { id: 'T1', categoryId: '7', params: { Power: '900 W' }, url: 'https://shop.example/p/1' },
        { id: 'T1', categoryId: '7', params: { Power: '950 W' }, url: 'https://shop.example/p/1' },
        { id: 'nobody' },
        { id: 'broken', xml: '<b></c>' },
      ],
    }),
  )
  const warn = vi.spyOn(shop.deps.log, 'warn')
  const started = await send('POST', `${FEED}/sync`)
  expect(started).toMatchObject({ status: 202, body: { runId: expect.any(Number), status: 'RUNNING' } })
  const { runId } = started.body as { runId: number }
  await expect
    .poll(async () => (await send('GET', `${PIPELINE}/runs/${runId}`)).body)
    .toMatchObject({ status: 'SUCCEEDED' })
  const run = (await send('GET', `${PIPELINE}/runs/${runId}`)).body as PipelineRun
  expect(run).toMatchObject({ attempts: 1, error: null })
  expect(run.stages.map(({ stage, status }) => `${stage} ${status}`)).toEqual([
    'DOWNLOAD SUCCEEDED',
    'PARSE SUCCEEDED',
    'SNAPSHOT SUCCEEDED',
    'CATEGORY_MAPPING SUCCEEDED',
    'ATTRIBUTES SUCCEEDED',
    'IMAGE_QUEUE SUCCEEDED',
  ])
  expect(stageOf(run, 'PARSE')?.counts).toMatchObject({ offers: 2, categories: 1, skipped: 1, duplicates: 1 })
  expect(stageOf(run, 'ATTRIBUTES')?.counts).toEqual({ matched: 1, changed: 1 })
  expect(stageOf(run, 'IMAGE_QUEUE')?.counts).toEqual({ noted: 1, queued: 1 })
  const first = [{ element: 'offer', id: 'broken', reason: expect.stringContaining('it is malformed: ') }]
  expect(warn).toHaveBeenCalledWith({ runId, skipped: 1, first }, 'supplier feed offers skipped')
  // The later of two with one id counts.
  expect(await attributesOf(product)).toEqual([{ name: 'Power', value: '950 W', source: 'EXTERNAL' }])
  const { body } = await send('GET', `${PIPELINE}/runs?size=1`)
  expect(body).toMatchObject({ content: [{ id: runId }] })
})

test('writes nothing for an unchanged feed', async () => {
  const id = await createProduct(shop.deps.db, { externalId: 'T1' })
  server.serve(feedXml({ offers: [{ id: 'T1', params: { A: '1', B: '2' }, pictures: ['https://a.example/1.jpg'] }] }))
  await sync()
  const versions = async () => {
    const rows = sql`select name, xmin::text from product_attributes where product_id = ${id} order by name`
    return (await rows.execute(shop.deps.db)).rows
  }
  const before = await versions()
  const run = await sync()
  expect(stageOf(run, 'ATTRIBUTES')?.counts).toEqual({ matched: 1, changed: 0 })
  expect(stageOf(run, 'IMAGE_QUEUE')?.counts).toEqual({ noted: 0, queued: 0 })
  expect(stageOf(run, 'SNAPSHOT')?.counts).toMatchObject({ new: 0, gone: 0, changed: 0 })
  expect(await versions()).toEqual(before)
})

test('renames or drops attributes by rules, hidden by those of staff and of the stock system', async () => {
  const id = await createProduct(shop.deps.db, {
    externalId: 'T1',
    attributes: [
      { name: 'Вес', value: '1 кг' },
      { name: 'Цвет', value: 'синий', source: 'MANUAL' },
    ],
  })
  server.serve(
    feedXml({
      offers: [
        {
          id: 'T1',
          params: {
            'МОЩН., Вт': '900',
            Мощность: '900',
            Вес: '2 кг',
            цВЕТ: 'red',
            Артикул: 'x',
            Длина: '1 м',
          },
        },
      ],
    }),
  )
  const rules = [
    { alias: 'мощн., вт', name: 'Мощность' },
    { alias: 'Артикул', ignore: true },
    { alias: 'Цвет', name: 'Цвет' },
  ]
  for (const rule of rules) expect((await send('POST', '/api/v1/admin/attribute-rules', rule)).status).toBe(201)
  await sync()
  expect(await attributesOf(id)).toEqual([
    { name: 'Вес', value: '1 кг', source: 'EXTERNAL' },
    { name: 'Мощность', value: '900', source: 'EXTERNAL' },
    { name: 'Цвет', value: 'синий', source: 'MANUAL' },
    { name: 'Длина', value: '1 м', source: 'EXTERNAL' },
  ])
  await shop.deps.db.deleteFrom('attribute_rules').execute()
  server.serve(feedXml({ offers: [{ id: 'T1', params: { Длина: '2 м' } }] }))
  await sync()
  const kept = (await stored(id)).filter(({ source }) => source === 'FEED')
  expect(kept).toMatchObject([{ name: 'Длина', value: '2 м', position: 0 }])
})

test('keeps the data of products that left the feed', async () => {
  const id = await createProduct(shop.deps.db, { externalId: 'T1' })
  server.serve(feedXml({ offers: [{ id: 'T1', params: { A: '1' } }] }))
  await sync()
  server.serve(feedXml({ offers: [] }))
  expect(stageOf(await sync(), 'SNAPSHOT')?.counts).toMatchObject({ offers: 0, gone: 1 })
  expect(await attributesOf(id)).toMatchObject([{ name: 'A' }])
})

test('enqueues products without images once, if a page or pictures are known', async () => {
  const { db } = shop.deps
  const page = await createProduct(db, { externalId: 'page' })
  const pictured = await createProduct(db, { externalId: 'pictured' })
  const has = await createProduct(db, { externalId: 'has' })
  await createProduct(db, { externalId: 'inactive', activeOverride: false })
  await createProduct(db, { externalId: 'bare' })
  const queued = await createProduct(db, { externalId: 'queued' })
  await db.insertInto('gbstore_scrape_queue').values({ product_id: queued, status: 'IN_PROGRESS' }).execute()
  const failed = await createProduct(db, { externalId: 'failed' })
  await db.insertInto('gbstore_scrape_queue').values({ product_id: failed, status: 'FAILED' }).execute()
  await createImage(db, { productId: has, displayOrder: 0 })
  const url = 'https://shop.example/p'
  server.serve(
    feedXml({
      offers: [
        ...['page', 'has', 'inactive', 'queued', 'failed'].map((id) => ({ id, url })),
        { id: 'pictured', pictures: ['https://a.example/1.jpg', 'https://a.example/2.jpg'] },
        { id: 'bare' },
      ],
    }),
  )
  expect(stageOf(await sync(), 'IMAGE_QUEUE')?.counts).toEqual({ noted: 7, queued: 3 })
  expect(stageOf(await sync(), 'IMAGE_QUEUE')?.counts).toEqual({ noted: 0, queued: 0 })
  const tasks = await db
    .selectFrom('gbstore_scrape_queue')
    .select('product_id')
    .where('status', '=', 'PENDING')
    .orderBy('id')
    .execute()
  expect(new Set(tasks.map(({ product_id }) => product_id))).toEqual(new Set([page, failed, pictured]))
  expect(tasks).toHaveLength(3)
  const noted = await db
    .selectFrom('product_feed_data')
    .selectAll()
    .where('product_id', 'in', [page, pictured])
    .orderBy('product_id')
    .execute()
  expect(noted).toMatchObject([
    { page_url: url, pictures: [] },
    { page_url: null, pictures: ['https://a.example/1.jpg', 'https://a.example/2.jpg'] },
  ])
})

test('a dry run counts what would change, and changes nothing', async () => {
  const { db } = shop.deps
  const product = await createProduct(db, { externalId: 'T1' })
  const category = await createCategory(db, { name: 'Mapped' })
  server.serve(feedXml({ categories: [{ id: '1', name: 'One' }], offers: [{ id: 'T1', params: { A: '1' } }] }))
  await sync()
  await send('PUT', `${FEED}/category-mappings/1`, { categoryId: category })
  const state = async () => [
    (await send('GET', `${PIPELINE}/snapshots`)).body,
    (await send('GET', `${FEED}/categories`)).body,
    await stored(product),
    await db.selectFrom('product_feed_data').selectAll().execute(),
    await db.selectFrom('gbstore_scrape_queue').selectAll().execute(),
    await Array.fromAsync(shop.deps.storage.list('xml-feed/')),
  ]
  const before = await state()

  const url = 'https://shop.example/1'
  const offers = [{ id: 'T1', params: { A: '2' }, url }, { id: 'T2' }]
  server.serve(feedXml({ categories: [{ id: '1', name: 'Two' }], offers }))
  const run = await sync('&dryRun=true')
  expect(run).toMatchObject({ status: 'SUCCEEDED', dryRun: true })
  expect(stageOf(run, 'SNAPSHOT')?.counts).toMatchObject({ new: 1, gone: 0, changed: 1 })
  expect(stageOf(run, 'CATEGORY_MAPPING')?.counts).toMatchObject({ mapped: 1, changed: 1 })
  expect(stageOf(run, 'ATTRIBUTES')?.counts).toEqual({ matched: 1, changed: 1 })
  expect(stageOf(run, 'IMAGE_QUEUE')?.counts).toEqual({ noted: 1, queued: 1 })
  expect(await state()).toEqual(before)

  const real = await sync()
  expect(real.dryRun).toBe(false)
  expect(real.stages.map(({ counts }) => counts)).toMatchObject(run.stages.map(({ counts }) => counts))
})

test('compares snapshots and keeps the last ten with their files', async () => {
  const offers = (...ids: string[]) => ids.map((id) => ({ id, price: '10' }))
  server.serve(feedXml({ offers: offers('a', 'b', 'c') }))
  await sync()
  server.serve(feedXml({ offers: [...offers('b', 'd', 'e'), { id: 'c', price: '12', params: { A: 'x' } }] }))
  const { id: runId } = await sync()
  const { body: newest } = await send('GET', `${PIPELINE}/snapshots?size=1`)
  const { id: snapshotId } = (newest as { content: { id: number }[] }).content[0] ?? {}
  const { body: snapshot } = await send('GET', `${PIPELINE}/snapshots/${snapshotId}`)
  expect(snapshot).toMatchObject({
    id: snapshotId,
    runId,
    offers: 4,
    categories: 0,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const { body: diff } = await send('GET', `${PIPELINE}/snapshots/${snapshotId}/diff`)
  expect(diff).toMatchObject({
    counts: { new: 2, gone: 1, changed: 1, unchanged: 1 },
    new: [{ id: 'd', name: 'Offer d', price: 10, priceBefore: null }, { id: 'e' }],
    gone: [{ id: 'a', price: null, priceBefore: 10 }],
    changed: [{ id: 'c', price: 12, priceBefore: 10 }],
  })
  await sync()
  await sql`
    with old as (insert into xml_pipeline_runs (status, dry_run, started_at) select 'SUCCEEDED', false, now() from generate_series(1, 8)
      returning id)
    insert into xml_snapshots (run_id, storage_key, sha256, size, offers, categories)
    select id, 'xml-feed/' || id, '', 1, 0, 0 from old`.execute(shop.deps.db)
  await sync()
  expect((await send('GET', `${PIPELINE}/snapshots/${snapshotId}`)).status).toBe(404)
  expect((await send('GET', `${PIPELINE}/snapshots/${snapshotId}/diff`)).status).toBe(404)
  const { body } = await send('GET', `${PIPELINE}/snapshots?size=100`)
  const { content } = body as { content: { id: number }[] }
  expect(content).toHaveLength(10)
  const oldest = content.at(-1)?.id
  expect((await send('GET', `${PIPELINE}/snapshots/${oldest}/diff`)).body).toMatchObject({
    previousId: null,
    counts: { new: 4, gone: 0 },
  })
  const keys = await Array.fromAsync(shop.deps.storage.list('xml-feed/'))
  expect(keys).toHaveLength(2)
})

test('answers 409 without a feed URL', async () => {
  const { supplierFeed } = shop.deps
  shop.deps.supplierFeed = null
  const answer = await send('POST', `${FEED}/sync`)
  shop.deps.supplierFeed = supplierFeed
  expect(answer).toMatchObject({ status: 409, body: { code: 'FEED_NOT_CONFIGURED' } })
})
