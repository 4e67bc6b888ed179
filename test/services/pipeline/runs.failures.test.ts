import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { getPipelineRun, PIPELINE, retryPipeline, startPipeline } from '../../../src/services/pipeline/runs.ts'
import { recoverRuns } from '../../../src/services/runs.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { retryAndWait, statuses, syncPipeline } from '../../support/pipeline.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let other: TestShop
let server: FeedServer
let admin: string
let storage: TestShop['deps']['storage']

beforeAll(async () => {
  server = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: server.url })
  other = await startTestShop({ XML_FEED_URL: server.url }, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
  storage = shop.deps.storage
})
beforeEach(async () => {
  shop.deps.storage = storage
  await shop.deps.db.deleteFrom('products').execute()
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await other.close()
  await shop.close()
  await server.close()
})

const RUNS = '/api/v1/admin/xml-pipeline/runs'
const NEXT = feedXml({ offers: [{ id: 'T1', params: { A: '2' } }] })

const sync = () => syncPipeline(shop)
const retry = (id: number) => retryAndWait(shop, id)
const attributeOf = async (productId: number) => {
  const { body } = await shop.call('GET', `/api/v1/products/${productId}/attributes`)
  return (body as { value: string }[]).map(({ value }) => value).join()
}
/** A product whose attribute A an earlier run has set to 1. */
const goodProduct = () =>
  createProduct(shop.deps.db, {
    externalId: 'T1',
    attributes: [{ name: 'A', value: '1', source: 'FEED' }],
  })
const staged = async () => (await shop.deps.db.selectFrom('xml_staged_offers').select('offer_id').execute()).length
const snapshots = () => shop.deps.db.selectFrom('xml_snapshots').selectAll().orderBy('id').execute()
/** Makes the stage ATTRIBUTES wait at its first row. */
const attributes = (trx: Trx) => sql`lock table product_attributes in exclusive mode`.execute(trx)

const BOMB = `<!DOCTYPE yml_catalog [${Array.from({ length: 10 }, (_, n) => `<!ENTITY e${n} "${`&e${n - 1};`.repeat(10)}">`).join('')}]>`

test.each([
  ['a cut-off feed', NEXT.slice(0, -20), /cut off/],
  ['an entity bomb', NEXT.replace(/<!DOCTYPE[^>]*>/, BOMB).replace('>2<', '>&e9;<'), /declares entities/],
  [
    'more categories than a shop can list',
    feedXml({ categories: Array.from({ length: 50_001 }, (_, n) => ({ id: `${n}`, name: 'x' })), offers: [] }),
    /more than 50000 categories/,
  ],
  [
    'offers most of which are broken',
    feedXml({
      categories: [{ id: '1', name: '' }],
      offers: [{ id: 'T1', params: { A: '2' } }, ...['x', 'y'].map((id) => ({ id, xml: '<b>' }))],
    }),
    /2 of 3 offers can't be read; the first: it is malformed/,
  ],
])('fails the run and changes nothing for %s', async (_what, feed, reason) => {
  const id = await goodProduct()
  const before = await snapshots()
  server.serve(feed)
  const run = await sync()
  expect(run).toMatchObject({ status: 'FAILED', error: expect.stringMatching(reason) })
  expect(run.stages.find(({ status }) => status === 'FAILED')?.error).toBe(run.error)
  expect(await snapshots()).toEqual(before)
  expect(await attributeOf(id)).toBe('1')
})

test('changes nothing when the storage fails; a retry downloads again or reads the stored feed', async () => {
  const id = await goodProduct()
  server.serve(NEXT)
  const down = new Error('disk full')
  shop.deps.storage = { ...storage, put: () => Promise.reject(down) }
  const put = await sync()
  expect(put).toMatchObject({ status: 'FAILED', error: 'Internal error; see the log' })
  shop.deps.storage = {
    ...storage,
    open: async (key) => {
      const object = await storage.open(key)
      if (object === null) return null
      return Readable.from(
        (async function* () {
          for await (const chunk of object) yield chunk.subarray(0, 20)
          throw down
        })(),
      )
    },
  }
  const read = await retry(put.id)
  expect(statuses(read)).toBe('SUCCEEDED FAILED PENDING PENDING PENDING PENDING')
  expect(await attributeOf(id)).toBe('1')
  shop.deps.storage = storage
  const requests = server.requests.length
  const whole = await retry(put.id)
  expect(whole).toMatchObject({ status: 'SUCCEEDED', attempts: 3, error: null })
  expect(server.requests.length).toBe(requests)
  expect(await attributeOf(id)).toBe('2')
})

test('rolls back a failed stage and retries from it', async () => {
  const id = await goodProduct()
  const { db } = shop.deps
  server.serve(NEXT)
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`.execute(
    db,
  )
  await sql`create trigger refuse before insert on product_feed_data for each statement execute function refuse()`.execute(
    db,
  )
  const run = await sync()
  expect(statuses(run)).toBe('SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED FAILED')
  expect(run.error).not.toContain('refused')
  await sql`drop trigger refuse on product_feed_data`.execute(db)
  const requests = server.requests.length
  const before = await snapshots()
  const again = await retry(run.id)
  expect(again).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
  expect(await snapshots()).toEqual(before)
  expect(server.requests.length).toBe(requests)
  expect(await attributeOf(id)).toBe('2')
  expect(await staged()).toBe(0)
  await expect(retryPipeline(shop.deps, run.id)).rejects.toMatchObject({
    status: 409,
    code: 'RUN_NOT_RETRYABLE',
  })
  await expect(retryPipeline(shop.deps, 2_000_000_000)).rejects.toMatchObject({ status: 404 })
})

test('parses again when a crash of the database emptied the staging tables', async () => {
  const id = await goodProduct()
  server.serve(NEXT)
  const stopped = await whileLocked(shop.deps.db, attributes, async () => {
    const { runId, finished } = await startPipeline(shop.deps)
    await untilWaiting(shop.deps.db)
    // As a stop or a lost connection would.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(other.deps.db)
    await finished
    return getPipelineRun(shop.deps, runId)
  })
  expect(statuses(stopped)).toBe('SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED FAILED PENDING')
  expect(await staged()).toBe(1)
  await sql`truncate xml_staged_offers`.execute(shop.deps.db)
  expect(await retry(stopped.id)).toMatchObject({ status: 'SUCCEEDED' })
  expect(await attributeOf(id)).toBe('2')
})

test('runs once at a time on all instances, and retries only the newest run', async () => {
  await goodProduct()
  server.serve('<broken')
  const failed = await sync()
  server.serve(NEXT)
  const { runId, finished } = await whileLocked(shop.deps.db, attributes, async () => {
    const started = await startPipeline(shop.deps)
    await untilWaiting(shop.deps.db)
    for (const instance of [shop, other]) {
      for (const path of ['/api/v1/admin/xml-feed/sync', `${RUNS}/${failed.id}/retry`]) {
        const answer = await instance.call('POST', path, { token: admin })
        expect(answer).toMatchObject({
          status: 409,
          body: { code: 'PIPELINE_RUNNING', runId: started.runId },
        })
      }
    }
    await recoverRuns(other.deps, PIPELINE)
    const running = await getPipelineRun(other.deps, started.runId)
    expect(running).toMatchObject({ status: 'RUNNING', finishedAt: null, durationMs: null })
    expect(statuses(running)).toBe('SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED RUNNING PENDING')
    return started
  })
  await finished
  expect((await getPipelineRun(shop.deps, runId)).status).toBe('SUCCEEDED')
  await expect(retryPipeline(shop.deps, failed.id)).rejects.toMatchObject({ code: 'RUN_NOT_RETRYABLE' })

  const { promise: begun, resolve: proceed } = Promise.withResolvers<void>()
  server.serve((_request, response) => void begun.then(() => response.end(NEXT)))
  const both = await Promise.allSettled([startPipeline(shop.deps), startPipeline(other.deps)])
  proceed()
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  for (const outcome of both) if (outcome.status === 'fulfilled') await outcome.value.finished
})

test('rejects a feed that would fill the memory even when compressed', async () => {
  const noise = randomBytes(1024 * 1024)
  let sent = 0
  server.serve(async (_request, response) => {
    const closed = once(response, 'close')
    for (; sent < 200 && !response.destroyed; sent += 1) {
      if (!response.write(noise)) await Promise.race([once(response, 'drain'), closed])
    }
    response.end()
  })
  expect(await sync()).toMatchObject({ status: 'FAILED', error: expect.stringMatching(/more than 100 MB/) })
  expect(sent).toBeLessThan(200)
})

test('reads an offer of a megabyte of empty elements within the worker’s memory', async () => {
  server.serve(feedXml({ offers: [{ id: 'T1', xml: '<a/>'.repeat(250_000) }, { id: 'T2' }] }))
  expect((await sync()).stages[1]).toMatchObject({ status: 'SUCCEEDED', counts: { offers: 2 } })
})

// The last one: it stops an instance.
test('interrupts a run on stop and retries it after the start', async () => {
  server.serve((_request, response) => void response.write(NEXT.slice(0, 100)))
  const before = server.requests.length
  const { runId, finished } = await startPipeline(other.deps)
  await expect.poll(() => server.requests.length).toBeGreaterThan(before)
  await other.deps.tasks.stop()
  await finished
  expect(await getPipelineRun(shop.deps, runId)).toMatchObject({
    status: 'FAILED',
    error: 'Interrupted: The service is stopping',
  })
  server.serve(NEXT)
  expect(await retry(runId)).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
})
