import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { generateCatalogue } from '../../../demo/generate.ts'
import { insertJobFlags, runDueJob } from '../../../src/services/operations/jobs.ts'
import { loginAs } from '../../support/accounts.ts'
import { createCategory } from '../../support/factories.ts'
import { whileLocked } from '../../support/locks.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { startSupplierShop } from '../../support/supplier-shop.ts'

const JOBS = '/api/v1/admin/jobs'
const patience = { timeout: PROCESS_TIMEOUT_MS, interval: 20 }

let world: Awaited<ReturnType<typeof startSupplierShop>>
let shop: TestShop
/** A second instance on the same database. */
let other: TestShop
let token: string

beforeAll(async () => {
  world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
  shop = world.shop
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  token = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await other.close()
  await world.close()
})

type JobJson = { name: string; enabled: boolean; running: boolean; [field: string]: unknown }

async function job(name: string, at = shop): Promise<JobJson> {
  const { body } = await at.call('GET', JOBS, { token })
  const found = (body as JobJson[]).find((one) => one.name === name)
  if (found === undefined) throw new Error(`${name} is not listed`)
  return found
}
const run = (name: string, at = shop) => at.call('POST', `${JOBS}/${name}/run`, { token })
const runs = async (name: string) => (await other.call('GET', `${JOBS}/${name}/runs`, { token })).body

test('lists each job with its schedule and the time of its next run', async () => {
  expect(await job('supplier-sync')).toEqual({
    name: 'supplier-sync',
    description: expect.any(String),
    schedule: '0 */5 * * * *',
    enabled: true,
    running: false,
    instance: null,
    nextRunAt: expect.stringMatching(/:[0-5][05]:00\.000Z$/),
    lastRun: null,
  })
  expect(await job('image-scraping')).toMatchObject({ schedule: '60 s after each run' })
})

test('the setting of a new job gets its row at the start, and keeps what staff set', async () => {
  const flag = '/api/v1/admin/config/job_popularity_enabled'
  const { body: before } = await shop.call('GET', flag, { token })
  await shop.deps.db.deleteFrom('app_config').where('key', '=', 'job_popularity_enabled').execute()
  await shop.call('PATCH', `${JOBS}/purge`, { token, body: { enabled: false } })
  for (const { deps } of [shop, other]) await insertJobFlags(deps)
  const { key, value, description, isPublic } = Object(before)
  expect((await shop.call('GET', flag, { token })).body).toMatchObject({ key, value, description, isPublic })
  expect([await job('popularity'), await job('purge')]).toMatchObject([{ enabled: true }, { enabled: false }])
  await shop.call('PATCH', `${JOBS}/purge`, { token, body: { enabled: true } })
})

test('runs a job in the background and shows the run on every instance', async () => {
  const { status, body } = await run('purge')
  expect(status).toBe(202)
  const { runId } = Object(body)
  expect(body).toEqual({ runId: expect.any(Number), status: 'RUNNING' })
  await vi.waitFor(async () => expect((await job('purge', other)).running).toBe(false), patience)
  const last = {
    id: runId,
    startedAt: expect.stringMatching(/Z$/),
    finishedAt: expect.stringMatching(/Z$/),
    status: 'SUCCEEDED',
    durationMs: expect.any(Number),
    error: null,
    instance: shop.deps.instance,
  }
  expect((await job('purge', other)).lastRun).toEqual(last)
  expect(await runs('purge')).toEqual([last])
})

test('runs a job with pauses by hand whenever it is asked to', async () => {
  for (let time = 0; time < 2; time++) {
    expect(await run('image-variants')).toMatchObject({ status: 202 })
    await vi.waitFor(async () => expect(await job('image-variants')).toMatchObject({ running: false }), patience)
  }
})

test('answers 409 with the instance while the job runs, however it was started', async () => {
  await whileLocked(
    shop.deps.db,
    (trx) => sql`lock table categories in exclusive mode`.execute(trx),
    async () => {
      const started = await shop.call('POST', '/api/v1/admin/sync/run', { token })
      expect(started.status).toBe(202)
      expect(await job('supplier-sync', other)).toMatchObject({
        running: true,
        instance: shop.deps.instance,
      })
      const refused = await run('supplier-sync', other)
      expect(refused.status).toBe(409)
      expect(refused.body).toMatchObject({
        code: 'JOB_RUNNING',
        instance: shop.deps.instance,
        runId: expect.any(Number),
      })
    },
  )
  await vi.waitFor(async () => expect((await job('supplier-sync')).running).toBe(false), patience)
  expect((await run('supplier-sync')).status).toBe(202)
  await vi.waitFor(async () => expect((await job('supplier-sync')).running).toBe(false), patience)
  expect(await runs('supplier-sync')).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }])
})

test('switches a schedule off and on for every instance, and still runs by hand', async () => {
  const toggle = (enabled: boolean) => shop.call('PATCH', `${JOBS}/category-visibility`, { token, body: { enabled } })
  expect((await toggle(false)).body).toMatchObject({ enabled: false, nextRunAt: null })
  await vi.waitFor(async () => expect((await job('category-visibility', other)).enabled).toBe(false), patience)
  const scheduled = other.deps.jobs.find(({ name }) => name === 'category-visibility')
  if (scheduled) await runDueJob(other.deps, scheduled, new Date(0))
  expect(await runs('category-visibility')).toEqual([])
  const empty = await createCategory(shop.deps.db)
  expect((await run('category-visibility')).status).toBe(202)
  await vi.waitFor(
    async () => expect(await runs('category-visibility')).toMatchObject([{ status: 'SUCCEEDED' }]),
    patience,
  )
  const category = await shop.call('GET', `/api/v1/categories/${empty}`, { token })
  expect(category.body).toMatchObject({ autoHiddenByVisibilitySync: true })
  expect((await toggle(true)).body).toMatchObject({ enabled: true, nextRunAt: expect.any(String) })
  const { body } = await shop.call('GET', '/api/v1/admin/audit?entityId=job_category_visibility_enabled', {
    token,
  })
  expect(Object(body).content).toMatchObject([{ after: { value: 'true' } }, { after: { value: 'false' } }])
})

test('switches a job whose setting was deleted', async () => {
  const toggle = (enabled: boolean) => shop.call('PATCH', `${JOBS}/popularity`, { token, body: { enabled } })
  expect((await toggle(false)).body).toMatchObject({ enabled: false })
  await shop.call('DELETE', '/api/v1/admin/config/job_popularity_enabled', { token })
  expect(await job('popularity')).toMatchObject({ enabled: true })
  expect((await toggle(false)).body).toMatchObject({ enabled: false })
  expect((await toggle(true)).body).toMatchObject({ enabled: true })
})

test('scraping follows the environment until it is switched', async () => {
  expect(await job('image-scraping')).toMatchObject({ enabled: shop.deps.config.scraping.enabled })
  const body = { enabled: !shop.deps.config.scraping.enabled }
  expect((await shop.call('PATCH', `${JOBS}/image-scraping`, { token, body })).body).toMatchObject(body)
})

test.each([
  ['GET', `${JOBS}/no-such-job/runs`],
  ['POST', `${JOBS}/no-such-job/run`],
  ['PATCH', `${JOBS}/no-such-job`],
])('%s %s is a 404', async (method, path) => {
  const answer = await shop.call(method, path, {
    token,
    ...(method === 'PATCH' && { body: { enabled: true } }),
  })
  expect(answer.status).toBe(404)
})

test('a body without enabled is a 400', async () => {
  const answer = await shop.call('PATCH', `${JOBS}/purge`, { token, body: { enabled: 'yes' } })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('enabled')
})
