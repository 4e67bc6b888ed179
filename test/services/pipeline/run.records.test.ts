import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { PipelineRunDetails } from '../../../src/schemas/pipeline.ts'
import { startPipeline } from '../../../src/services/pipeline/run.ts'
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

async function sync(dryRun = false): Promise<PipelineRunDetails> {
  const { runId, finished } = await startPipeline(shop.deps, { dryRun })
  await finished
  return (await shop.call('GET', `${RUNS}/${runId}`, { token: admin })).body as PipelineRunDetails
}

const warnings = (calls: unknown[][]) => calls.filter(([, message]) => /offers belong/.test(String(message)))

test('warns in the record and the log when few offers belong to products', async () => {
  await createProduct(shop.deps.db, { externalId: 'T1' })
  const offers = Array.from({ length: 11 }, (_, n) => ({ id: `T${n + 1}`, params: { A: '1' } }))
  const warn = vi.spyOn(shop.deps.log, 'warn')
  try {
    for (const dryRun of [true, false]) {
      server.serve(feedXml({ offers }))
      const warning = "Only 1 of 11 offers belong to products of the shop: check the feed's ids"
      const run = await sync(dryRun)
      expect(run).toMatchObject({ status: 'SUCCEEDED', warnings: [warning] })
      expect(warnings(warn.mock.calls)).toEqual([[{ runId: run.id }, warning]])
      warn.mockClear()
    }
    server.serve(feedXml({ offers: offers.slice(1) }))
    expect((await sync()).warnings).toEqual([expect.stringMatching(/^Only 0 of 10 /)])
    warn.mockClear()
    server.serve(feedXml({ offers: offers.slice(0, 10) }))
    expect((await sync()).warnings).toEqual([])
    expect(warnings(warn.mock.calls)).toEqual([])
  } finally {
    warn.mockRestore()
  }
})

test('runs are deleted after 90 days, unless they have a snapshot', async () => {
  const { db } = shop.deps
  server.serve(feedXml({ offers: [{ id: 'T1' }] }))
  const kept = await sync()
  const dropped = await sync(true)
  const fresh = await sync(true)
  const at = (id: number, days: number) => {
    const started_at = new Date(Date.now() - days * 86_400_000)
    return db
      .updateTable('xml_pipeline_runs')
      .set({ started_at, finished_at: started_at })
      .where('id', '=', id)
      .execute()
  }
  await at(kept.id, 91)
  await at(dropped.id, 91)
  await at(fresh.id, 89)
  await sync(true)
  const status = async ({ id }: { id: number }) =>
    (await shop.call('GET', `${RUNS}/${id}`, { token: admin })).status
  expect([await status(kept), await status(dropped), await status(fresh)]).toEqual([200, 404, 200])
})
