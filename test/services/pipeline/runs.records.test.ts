import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { endRuns } from '../../../db/queries/operations/job-runs.ts'
import { insertRun } from '../../../db/queries/pipeline/runs.ts'
import type { PipelineRun } from '../../../src/schemas/pipeline.ts'
import { purge } from '../../../src/services/operations/jobs.ts'
import { startPipeline } from '../../../src/services/pipeline/runs.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { type FeedServer, feedXml, startFeedServer } from '../../support/feed-server.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const RUNS = '/api/v1/admin/xml-pipeline/runs'

let shop: TestShop
let server: FeedServer
let admin: string
beforeAll(async () => {
  server = await startFeedServer()
  shop = await startTestShop({ XML_FEED_URL: server.url })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await server.close()
})
afterEach(async () => {
  await shop.deps.db.deleteFrom('products').execute()
})

async function sync(): Promise<PipelineRun> {
  const { runId, finished } = await startPipeline(shop.deps)
  await finished
  return (await shop.call('GET', `${RUNS}/${runId}`, { token: admin })).body as PipelineRun
}

test('warns in the record when few offers belong to products', async () => {
  await createProduct(shop.deps.db, { externalId: 'T1' })
  const offers = Array.from({ length: 11 }, (_, n) => ({ id: `T${n + 1}`, params: { A: '1' } }))
  server.serve(feedXml({ offers }))
  const warning = "Only 1 of 11 offers belong to products of the shop: check the feed's ids"
  expect(await sync()).toMatchObject({ status: 'SUCCEEDED', warnings: [warning] })
  server.serve(feedXml({ offers: offers.slice(0, 10) }))
  expect((await sync()).warnings).toEqual([])
})

test('a running stage tells its counts and their rate', async () => {
  let clock = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => (clock += 4000))
  const info = vi.spyOn(shop.deps.log, 'info')
  try {
    server.serve(feedXml({ offers: [{ id: 'T1' }, { id: 'T2' }] }))
    await sync()
    const shown = info.mock.calls.filter(([, message]) => message === 'xml pipeline progress').map(([line]) => line)
    const parsed = { stage: 'PARSE', offers: 2, categories: 0, skipped: 0, perSecond: expect.any(Number) }
    expect(shown).toContainEqual(expect.objectContaining(parsed))
  } finally {
    now.mockRestore()
    info.mockRestore()
  }
})

test('runs are deleted after 90 days, unless they have a snapshot', async () => {
  const { db } = shop.deps
  server.serve(feedXml({ offers: [{ id: 'T1' }] }))
  const kept = await sync()
  const insertFinished = async (daysAgo: number) => {
    const at = new Date(Date.now() - daysAgo * 86_400_000)
    const run = await insertRun(db, at)
    await endRuns(db, 'xml_pipeline_runs', [run.id], { error: null, finishedAt: at })
    return run
  }
  const dropped = await insertFinished(91)
  const fresh = await insertFinished(89)
  const long = new Date(Date.now() - 91 * 86_400_000)
  await db
    .updateTable('xml_pipeline_runs')
    .set({ started_at: long, finished_at: long })
    .where('id', '=', kept.id)
    .execute()
  await purge(shop.deps)
  const status = async ({ id }: { id: number }) => (await shop.call('GET', `${RUNS}/${id}`, { token: admin })).status
  expect([await status(kept), await status(dropped), await status(fresh)]).toEqual([200, 404, 200])
})
