import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { claimJobRun, finishJobRun } from '../../../db/queries/operations/job-runs.ts'
import { runDueJob } from '../../../src/services/operations/jobs.ts'
import { rebuild, rebuildOutdated } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory, createProduct, markSynchronised } from '../../support/factories.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// A rebuild that was asked for survives the death of its process and failed builds.
let shop: TestShop
let dying: TestShop
let token: string
let productId: number

beforeAll(async () => {
  shop = await startTestShop({ SITE_URL: 'https://shop.example' }, { publishes: true })
  dying = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  token = await loginAs(dying, 'ADMIN')
  await markSynchronised(shop.deps.db)
  productId = await createProduct(shop.deps.db, { categoryId: await createCategory(shop.deps.db) })
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('publication_requests').execute()
  await rename('Before')
  await rebuild(shop.deps, 'feed')
})
afterAll(async () => {
  await dying.close()
  await shop.close()
})

const rename = (name: string) =>
  shop.deps.db.updateTable('products').set({ name }).where('id', '=', productId).execute()
const requests = async () => {
  const rows = await shop.deps.db.selectFrom('publication_requests').select('kind').orderBy('kind').execute()
  return rows.map(({ kind }) => kind)
}
const feed = async () => (await shop.call('GET', '/api/v1/yml-catalog.xml')).text
/** Renames the product through an instance that rebuilds nothing, as if it died before. */
async function renameElsewhere(name: string): Promise<void> {
  const { status } = await dying.call('PATCH', `/api/v1/products/${productId}`, { token, body: { name } })
  expect(status).toBe(200)
}

test('rebuilds what an instance was asked for before it died', async () => {
  await renameElsewhere('After')
  expect(await requests()).toEqual(['feed', 'google-merchant', 'sitemap'])
  await rebuildOutdated(shop.deps)
  expect([await feed(), await requests()]).toEqual([expect.stringContaining('After'), []])
})

test('repeats a failed build', async () => {
  const { db } = shop.deps
  await renameElsewhere('After')
  await sql`alter table publication_chunks add constraint broken check (publication_id < 0) not valid`.execute(db)
  await rebuildOutdated(shop.deps)
  expect(await requests()).toContain('feed')
  await sql`alter table publication_chunks drop constraint broken`.execute(db)
  await rebuildOutdated(shop.deps)
  expect([await feed(), await requests()]).toEqual([expect.stringContaining('After'), []])
})

test('leaves requests to a sync that is running, which rebuilds at its end', async () => {
  await renameElsewhere('After')
  const run = await claimJobRun(shop.deps.db, shop.deps.instance, 'supplier-sync', null)
  await rebuildOutdated(shop.deps)
  expect(await requests()).toEqual(['feed', 'google-merchant', 'sitemap'])
  await finishJobRun(shop.deps.db, run ?? 0, null)
  await rebuildOutdated(shop.deps)
  expect(await requests()).toEqual([])
})

test('rebuilds although a sync was killed that no later one has recorded as failed', async () => {
  const { db } = shop.deps
  await renameElsewhere('After')
  const started_at = new Date()
  await db.insertInto('sync_runs').values({ trigger: 'CRON', status: 'RUNNING', started_at }).execute()
  const run = await claimJobRun(db, shop.deps.instance, 'supplier-sync', null)
  await sql`update job_runs set heartbeat_at = now() - interval '61 seconds'`.execute(db)
  const job = shop.deps.jobs.find(({ name }) => name === 'overdue-rebuilds')
  if (job) await runDueJob(shop.deps, job, null)
  expect([await feed(), await requests()]).toEqual([expect.stringContaining('After'), []])
  await finishJobRun(db, run ?? 0, null)
})

test('keeps no requests for a shop that was never filled', async () => {
  const empty = await startTestShop({}, { publishes: true })
  try {
    await empty.deps.db.insertInto('publication_requests').values({ kind: 'feed' }).execute()
    expect(await rebuild(empty.deps, 'feed')).toMatchObject({ status: 'REJECTED' })
    expect(await empty.deps.db.selectFrom('publication_requests').selectAll().execute()).toEqual([])
  } finally {
    await empty.close()
  }
})
