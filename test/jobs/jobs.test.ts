import { setTimeout as delay } from 'node:timers/promises'
import { Cron } from 'croner'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { enqueueMail } from '../../db/queries/mail/outbox.ts'
import { generateCatalogue } from '../../demo/generate.ts'
import { JOBS, startJobs } from '../../jobs/index.ts'
import type { Job } from '../../jobs/run-once.ts'
import { startSync } from '../../src/services/supplier/sync.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { startSupplierShop } from '../support/supplier-shop.ts'

const EVERY_SECOND = '* * * * * *'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const jobNamed = (name: string): Job => {
  const job = JOBS.find((one) => one.name === name)
  if (job === undefined) throw new Error(`There is no job ${name}`)
  return job
}

test('continues after a failed run, and reads the flag at each tick', async () => {
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
  await vi.waitFor(() => expect(failing.mock.calls.length).toBeGreaterThan(1), {
    timeout: PROCESS_TIMEOUT_MS,
  })
  expect(switched).not.toHaveBeenCalled()
  await set('true')
  await vi.waitFor(() => expect(switched).toHaveBeenCalled(), { timeout: PROCESS_TIMEOUT_MS })
  await jobs.stop()
})

test('the sync uses the configured schedule and its flag', async () => {
  const { cron, flag } = jobNamed('supplier-sync')
  expect(typeof cron === 'function' && cron(shop.deps.config)).toBe(shop.deps.config.syncCron)
  expect(flag).toBe('job_sync_enabled')
})

test('delivers due mails and purges old ones', async () => {
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

test('records a scheduled sync, and skips it while another runs', async () => {
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

test('runs a job with a pause at once, then after each pause, and never after a stop', async () => {
  const events: string[] = []
  const end: (() => void)[] = []
  const run = vi.fn(async () => {
    events.push('begins')
    await new Promise<void>((resolve) => end.push(resolve))
    events.push('ends')
    if (events.length === 2) throw new Error('no luck')
  })
  const jobs = startJobs(shop.deps, [{ name: 'paused', pauseMs: () => 100, run }])
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1), { timeout: PROCESS_TIMEOUT_MS })
  expect(jobs.nextRun('paused')).toBeNull()
  await delay(300)
  expect(events).toEqual(['begins'])
  end[0]?.()
  const ended = performance.now()
  await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), { timeout: PROCESS_TIMEOUT_MS, interval: 1 })
  expect(performance.now() - ended).toBeGreaterThan(95)
  await jobs.stop()
  end[1]?.()
  await delay(300)
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends'])
})

test('scraping uses the configured pause', () => {
  expect(jobNamed('image-scraping').pauseMs?.(shop.deps.config)).toBe(60_000)
})

test('reports the next run of a schedule', async () => {
  const jobs = startJobs(shop.deps, [{ name: 'yearly', cron: '0 0 0 1 1 *', run: async () => {} }])
  try {
    expect(jobs.nextRun('yearly')?.toISOString()).toMatch(/^\d{4}-01-01T00:00:00.000Z$/)
    expect(jobs.nextRun('never')).toBeNull()
  } finally {
    await jobs.stop()
  }
})

test('skips a tick during a run, and waits for the run when stopped', async () => {
  const { deps, close } = await startTestShop()
  const end = Promise.withResolvers<void>()
  const run = vi.fn(() => end.promise)
  const ticks = vi.fn(async () => {})
  const jobs = startJobs(deps, [
    { name: 'slow', cron: EVERY_SECOND, run },
    { name: 'clock', cron: EVERY_SECOND, run: ticks },
  ])
  await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(2), { timeout: PROCESS_TIMEOUT_MS })
  expect(run).toHaveBeenCalledTimes(1)
  await jobs.stop()
  const stopped = vi.fn()
  const stop = deps.tasks.stop().then(stopped)
  await delay(50)
  expect(stopped).not.toHaveBeenCalled()
  end.resolve()
  await stop
  const before = ticks.mock.calls.length
  await delay(1200)
  expect([run.mock.calls.length, ticks.mock.calls.length]).toEqual([1, before])
  await close()
})

test('ignores ticks after the tasks have stopped', async () => {
  const { deps, close } = await startTestShop()
  const run = vi.fn(async () => {})
  const jobs = startJobs(deps, [{ name: 'late', cron: EVERY_SECOND, run }])
  await deps.tasks.stop()
  const before = run.mock.calls.length
  const ticks = vi.fn()
  const clock = new Cron(EVERY_SECOND, { timezone: 'UTC' }, ticks)
  try {
    await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(1), {
      timeout: PROCESS_TIMEOUT_MS,
    })
    expect(run).toHaveBeenCalledTimes(before)
  } finally {
    clock.stop()
    await jobs.stop()
    await close()
  }
})
