import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { getPipelineRun, PIPELINE } from '../../../src/services/pipeline/runs.ts'
import { recoverRuns } from '../../../src/services/runs.ts'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { retryAndWait, statuses, syncPipeline } from '../../support/pipeline.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

let shop: TestShop
let server: FeedServer

beforeAll(async () => {
  server = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: server.url })
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await shop.close()
  await server.close()
})

const sync = () => syncPipeline(shop)
const retry = (id: number) => retryAndWait(shop, id)
const staged = async () => (await shop.deps.db.selectFrom('xml_staged_offers').select('offer_id').execute()).length
/** Makes the stage ATTRIBUTES wait at its first row. */
const attributes = (trx: Trx) => sql`lock table product_attributes in exclusive mode`.execute(trx)

/** Longer than a chunk of 256 KB, after which the first offers are staged. */
const many = (value: string) =>
  feedXml({
    categories: [{ id: '1', name: 'One' }],
    offers: Array.from({ length: 800 }, (_, n) => ({
      id: `T${n}`,
      name: `Offer ${n}`.padEnd(400, ' x'),
      categoryId: '1',
      params: { A: value },
    })),
  })

/** A process that has begun a run. */
async function startChild(): Promise<{ runId: number; kill(): Promise<void> }> {
  const { databaseUrl, dataDir } = shop.deps.config
  const child = fork(new URL('../../support/pipeline-process.ts', import.meta.url), {
    env: {
      ...process.env,
      TEST_DATABASE_URL: databaseUrl,
      TEST_SUPPLIER_URL: 'http://127.0.0.1:9',
      TEST_DATA_DIR: dataDir,
      TEST_XML_FEED_URL: server.url,
    },
    stdio: 'inherit',
  })
  const [message] = await once(child, 'message')
  const { runId }: { runId: number } = JSON.parse(String(message))
  return {
    runId,
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

async function whatIsThere() {
  const { db } = shop.deps
  const tables = ['product_attributes', 'product_feed_data', 'xml_feed_categories', 'gbstore_scrape_queue']
  const digests = tables.map(async (table) => {
    const { rows } = await sql<{ digest: string }>`
      select md5(coalesce(string_agg(row::text, '|' order by row::text), '')) as digest
      from (select to_jsonb(t) - 'id' - 'created_at' - 'updated_at' - 'next_attempt_at' as row from ${sql.table(table)} t) all_rows`.execute(
      db,
    )
    return rows[0]?.digest
  })
  return Promise.all(digests)
}

/** The run of a process that was killed, when the server has noticed that nobody holds its lock any more. */
async function recovered(runId: number) {
  const run = async () => {
    await recoverRuns(shop.deps, PIPELINE)
    return getPipelineRun(shop.deps, runId)
  }
  await expect.poll(run, { timeout: PROCESS_TIMEOUT_MS }).toMatchObject({ status: 'FAILED' })
  return run()
}

test('loses and duplicates nothing after kill -9, a restart and a retry', async () => {
  const { db } = shop.deps
  for (let n = 0; n < 800; n += 80) await createProduct(db, { externalId: `T${n}` })
  server.serve(many('old'))
  expect((await sync()).status).toBe('SUCCEEDED')
  const old = await whatIsThere()

  // While it is being read.
  server.serve(many('new'))
  const READING = 1
  await sql`create function wait() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(${sql.lit(READING)}); return new; end $$`.execute(db)
  await sql`create trigger wait before insert on xml_staged_offers for each row when (new.offer_id = 'T799')
    execute function wait()`.execute(db)
  const lastOffer = (trx: Trx) => sql`select pg_advisory_xact_lock(${READING})`.execute(trx)
  const reading = await whileLocked(db, lastOffer, async () => {
    const child = await startChild()
    await untilWaiting(db)
    expect(await staged()).toBeGreaterThan(0)
    await child.kill()
    return child
  })
  await sql`drop trigger wait on xml_staged_offers`.execute(db)
  expect(await whatIsThere()).toEqual(old)
  expect(statuses(await recovered(reading.runId))).toBe('SUCCEEDED FAILED PENDING PENDING PENDING PENDING')

  // While it is being applied, by somebody who retries.
  await whileLocked(db, attributes, async () => {
    const applying = await startChild()
    await untilWaiting(db)
    await applying.kill()
    // The server hears of it when it has the lock.
    server.requests.length = 0
    await recovered(applying.runId)
    return applying
  }).then(async ({ runId }) => {
    await expect.poll(() => whatIsThere()).toEqual(old)
    const run = await retry(runId)
    expect(run).toMatchObject({ status: 'SUCCEEDED', attempts: 2 })
    expect(run.stages.find(({ stage }) => stage === 'ATTRIBUTES')?.counts).toEqual({
      matched: 10,
      changed: 10,
    })
  })
  expect(server.requests).toHaveLength(0)
  const after = await whatIsThere()
  expect(after).not.toEqual(old)
  expect((await sync()).stages.find(({ stage }) => stage === 'ATTRIBUTES')?.counts).toMatchObject({
    changed: 0,
  })
  expect(await whatIsThere()).toEqual(after)
  const rows = await db
    .selectFrom('product_attributes')
    .select(['name', 'value'])
    .where('source', '=', 'FEED')
    .execute()
  expect(rows).toEqual(Array.from({ length: 10 }, () => ({ name: 'A', value: 'new' })))
})
