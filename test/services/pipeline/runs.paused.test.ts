import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { findRunningRun } from '../../../db/queries/operations/job-runs.ts'
import * as pipelineRuns from '../../../db/queries/pipeline/runs.ts'
import { getPipelineRun, PIPELINE, startPipeline } from '../../../src/services/pipeline/runs.ts'
import { recoverRuns } from '../../../src/services/runs.ts'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { untilWaiting, whileLocked } from '../../support/locks.ts'
import { failRuns } from '../../support/runs.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// A process that was paused doesn't notice that another one has the lock, has failed its run and has perhaps retried it.
let shop: TestShop
let server: FeedServer
let storage: TestShop['deps']['storage']

beforeAll(async () => {
  server = await startFeedServer()
  server.serve(feedXml({ offers: [{ id: 'T1', name: 'Old' }] }))
  shop = await startTestShop({ XML_FEED_URL: server.url })
  storage = shop.deps.storage
  await createProduct(shop.deps.db, { externalId: 'T1' })
})
beforeEach(async () => {
  shop.deps.storage = storage
  await sql`truncate xml_pipeline_runs, xml_staged_offers cascade`.execute(shop.deps.db)
})
afterAll(async () => {
  await shop.deps.tasks.stop()
  await shop.close()
  await server.close()
})

const start = () => startPipeline(shop.deps)
const staged = async () => {
  const rows = await shop.deps.db.selectFrom('xml_staged_offers').select('name').execute()
  return rows.map(({ name }) => name)
}

/** Makes the stage ATTRIBUTES wait at its first row. */
const attributes = (trx: Trx) => sql`lock table product_attributes in exclusive mode`.execute(trx)

/** Another process fails the run, retries it and reads a newer feed. */
async function takeOver(): Promise<void> {
  const { db } = shop.deps
  const { id } = (await findRunningRun(db, 'xml_pipeline_runs')) ?? { id: 0 }
  await failRuns(db, 'xml_pipeline_runs')
  await pipelineRuns.reopenRun(db, id)
  await sql`
    insert into xml_staged_offers (run_id, offer_id, position, name, price, digests, pictures, params)
    values (${id}, 'T1', 1, 'New', '10', '', '[]', '[]')`.execute(db)
}

/** Calls `before` when the run reads the stored feed: before it clears the staging tables, or after. */
function onRead(when: 'before clearing' | 'after clearing', before: () => Promise<void>): void {
  shop.deps.storage = {
    ...storage,
    async open(key) {
      const object = await storage.open(key)
      if (when === 'before clearing') await before()
      if (object === null || when === 'before clearing') return object
      const late = async function* () {
        await expect.poll(staged, { interval: 20 }).toEqual([])
        await before()
        yield* object
      }
      return Readable.from(late(), { objectMode: false })
    },
  }
}

test.each(['before clearing', 'after clearing'] as const)(
  'an attempt that another process retried stages nothing: %s',
  async (when) => {
    await sql`
      insert into xml_staged_offers (run_id, offer_id, position, name, price, digests, pictures, params)
      values (0, 'T0', 1, 'Earlier', '10', '', '[]', '[]')`.execute(shop.deps.db)
    onRead(when, takeOver)
    const { runId, finished } = await start()
    await finished
    expect(await staged()).toEqual(when === 'after clearing' ? ['New'] : ['Earlier', 'New'])
    const run = await getPipelineRun(shop.deps, runId)
    expect(run).toMatchObject({ status: 'RUNNING', attempts: 2, finishedAt: null, error: null })
    expect(run.stages[1]).toMatchObject({ stage: 'PARSE', status: 'PENDING', error: null })
  },
)

test('an attempt that another process retried applies nothing and begins no stage', async () => {
  const { runId, finished } = await whileLocked(shop.deps.db, attributes, async () => {
    const run = await start()
    await untilWaiting(shop.deps.db)
    await takeOverRow()
    return run
  })
  await finished
  const run = await getPipelineRun(shop.deps, runId)
  expect(run.stages.map(({ status }) => status).join(' ')).toBe(
    'SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED RUNNING PENDING',
  )
  expect(run).toMatchObject({ status: 'RUNNING', attempts: 2 })
})

/** As takeOver, while the retry is in the same stage. */
async function takeOverRow(): Promise<void> {
  await shop.deps.db.updateTable('xml_pipeline_runs').set({ attempts: 2 }).where('status', '=', 'RUNNING').execute()
}

test('a run cannot be failed while it clears the staging tables at its end', async () => {
  const { db } = shop.deps
  const staging = (trx: Trx) => sql`lock table xml_staged_offers in share mode`.execute(trx)
  const waiting = sql`select from pg_locks where relation = 'xml_staged_offers'::regclass and not granted`
  const holding = await db.startTransaction().execute()
  await attributes(holding)
  const run = await start()
  await untilWaiting(db)
  const { failing } = await whileLocked(db, staging, async () => {
    await holding.commit().execute()
    await expect.poll(async () => (await waiting.execute(db)).rows.length, { interval: 20 }).toBe(1)
    const failing = failRuns(db, 'xml_pipeline_runs')
    await untilWaiting(db, 2)
    return { failing }
  })
  // Whichever comes first once the tables are empty, the other changes nothing any more.
  const failed = await failing
  await run.finished
  expect(await getPipelineRun(shop.deps, run.runId)).toMatchObject(
    failed.length === 1
      ? { status: 'FAILED', error: 'Interrupted: the process ended' }
      : { status: 'SUCCEEDED', error: null },
  )
})

test('a finished run deletes no download of a later run', async () => {
  const { later, earlier, finished } = await whileLocked(shop.deps.db, attributes, async () => {
    const run = await start()
    await untilWaiting(shop.deps.db)
    const later = [`xml-feed/run-${run.runId}-2.xml.gz`, `xml-feed/run-${run.runId + 1}-1.xml.gz`]
    const earlier = `xml-feed/run-${run.runId - 1}-1.xml.gz`
    for (const key of [...later, earlier]) {
      await storage.put(key, Buffer.from('x'), { contentType: 'application/gzip' })
    }
    return { later, earlier, finished: run.finished }
  })
  await finished
  const keys = (await Array.fromAsync(storage.list('xml-feed/'))).map(({ key }) => key)
  expect(keys).toEqual(expect.arrayContaining(later))
  expect(keys).not.toContain(earlier)
})

test('a failed run leaves no stage RUNNING', async () => {
  const { db } = shop.deps
  const run = await pipelineRuns.insertRun(db, new Date())
  await db.transaction().execute((trx) => pipelineRuns.updateStage(trx, run, 'DOWNLOAD', { status: 'RUNNING' }))
  await recoverRuns(shop.deps, PIPELINE)
  expect((await getPipelineRun(shop.deps, run.id)).stages[0]).toMatchObject({
    status: 'FAILED',
    error: 'Interrupted: the process ended',
    finishedAt: expect.any(String),
  })
})

test('a run that another process starts at the same moment is the only one', async () => {
  const { db } = shop.deps
  const { refused } = await db.transaction().execute(async (trx) => {
    await pipelineRuns.insertRun(trx, new Date())
    const result = start()
    result.catch(() => {})
    await untilWaiting(db)
    return { refused: result }
  })
  // A request gets the conflict of any unique constraint.
  await expect(refused).rejects.toMatchObject({ code: '23505' })
  expect(await db.selectFrom('xml_pipeline_runs').select('status').execute()).toEqual([{ status: 'RUNNING' }])
})
