import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { enqueueMail } from '../../db/queries/mail/outbox.ts'
import { generateCatalogue } from '../../demo/generate.ts'
import { JOBS, startJobs } from '../../jobs/index.ts'
import type { Job } from '../../jobs/run-once.ts'
import { startSync } from '../../src/services/supplier/sync.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { startSupplierShop } from '../support/supplier-shop.ts'

const EVERY_SECOND = '* * * * * *'

let shop: TestShop

beforeEach(async () => {
  shop = await startTestShop()
})
afterEach(() => shop.close())

const jobNamed = (name: string): Job => {
  const job = JOBS.find((one) => one.name === name)
  if (job === undefined) throw new Error(`There is no job ${name}`)
  return job
}

test('a tick during a run is left out, and a stop waits for the run', async () => {
  const end = Promise.withResolvers<void>()
  const run = vi.fn(() => end.promise)
  const ticks = vi.fn(async () => {})
  const jobs = startJobs(shop.deps, [
    { name: 'slow', cron: EVERY_SECOND, run },
    { name: 'clock', cron: EVERY_SECOND, run: ticks },
  ])
  await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(3), { timeout: 10_000 })
  expect(run).toHaveBeenCalledTimes(1)
  await jobs.stop()
  const stopped = vi.fn()
  const stop = shop.deps.tasks.stop().then(stopped)
  await delay(50)
  expect(stopped).not.toHaveBeenCalled()
  end.resolve()
  await stop
  const before = ticks.mock.calls.length
  await delay(1200)
  expect([run.mock.calls.length, ticks.mock.calls.length]).toEqual([1, before])
})

test('a tick after the tasks were told to stop runs nothing, and rejects nowhere', async () => {
  const run = vi.fn(async () => {})
  const jobs = startJobs(shop.deps, [{ name: 'late', cron: EVERY_SECOND, run }])
  await shop.deps.tasks.stop()
  const before = run.mock.calls.length
  const ticks = vi.fn()
  const clock = new Cron(EVERY_SECOND, { timezone: 'UTC' }, ticks)
  try {
    await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(1), { timeout: 10_000 })
    expect(run).toHaveBeenCalledTimes(before)
  } finally {
    clock.stop()
    await jobs.stop()
  }
})

test('a run that fails does not end the schedule, and a flag counts at each tick', async () => {
  const flag = 'job_category_visibility_enabled'
  const set = (value: string) =>
    shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', flag).execute()
  await set('false')
  const failing = vi.fn(() => Promise.reject(new Error('no luck')))
  const switched = vi.fn(async () => {})
  const jobs = startJobs(shop.deps, [
    { name: 'failing', cron: EVERY_SECOND, run: failing },
    { name: 'switched', cron: EVERY_SECOND, flag, run: switched },
  ])
  await vi.waitFor(() => expect(failing.mock.calls.length).toBeGreaterThan(1), { timeout: 10_000 })
  expect(switched).not.toHaveBeenCalled()
  await set('true')
  await vi.waitFor(() => expect(switched).toHaveBeenCalled(), { timeout: 10_000 })
  await jobs.stop()
})

test('the sync has the schedule of the environment and its flag', async () => {
  const { cron, flag } = jobNamed('supplier-sync')
  expect(typeof cron === 'function' && cron(shop.deps.config)).toBe(shop.deps.config.syncCron)
  expect(flag).toBe('job_sync_enabled')
})

test('the jobs deliver what is due and forget what is old', async () => {
  const { db } = shop.deps
  const statuses = async () =>
    (await db.selectFrom('mails').select('status').execute()).map(({ status }) => status)
  await db
    .transaction()
    .execute((trx) => enqueueMail(trx, { recipient: 'boss@example.test', subject: 'Hello', body: 'There' }))
  await jobNamed('deliver-mails').run(shop.deps)
  expect(await statuses()).toEqual(['SENT'])
  await db
    .updateTable('mails')
    .set({ created_at: new Date('2020-01-01') })
    .execute()
  await jobNamed('purge-mails').run(shop.deps)
  expect(await statuses()).toEqual([])
})

test('a scheduled sync is recorded as such, and one that finds another under way lets it be', async () => {
  const world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
  try {
    const { deps } = world.shop
    const { run } = jobNamed('supplier-sync')
    await run(deps)
    const runs = () =>
      deps.db.selectFrom('sync_runs').select(['trigger', 'status']).orderBy('id', 'desc').execute()
    expect((await runs())[0]).toEqual({ trigger: 'CRON', status: 'SUCCEEDED' })
    world.supplier.faults.set({ latencyMs: 100 })
    const { finished } = await startSync(deps, 'MANUAL')
    await run(deps)
    await finished
    expect((await runs()).map(({ trigger }) => trigger)).toEqual(['MANUAL', 'CRON'])
  } finally {
    await world.close()
  }
})

test('a schedule tells when it runs next', async () => {
  const jobs = startJobs(shop.deps, [{ name: 'yearly', cron: '0 0 0 1 1 *', run: async () => {} }])
  try {
    expect(jobs.nextRun('yearly')?.toISOString()).toMatch(/^\d{4}-01-01T00:00:00.000Z$/)
    expect(jobs.nextRun('never')).toBeNull()
  } finally {
    await jobs.stop()
  }
})
