import { Cron } from 'croner'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Trx } from '../../db/database.ts'
import { enqueueMail } from '../../db/queries/mail/outbox.ts'
import { generateCatalogue } from '../../demo/generate.ts'
import { configureJobs, startJobs } from '../../jobs/index.ts'
import type { Deps, Job } from '../../src/deps.ts'
import { createTasks } from '../../src/runtime/concurrency/tasks.ts'
import { purge, runDueJob, startJob } from '../../src/services/operations/jobs.ts'
import { startSync } from '../../src/services/supplier/sync.ts'
import { whileLocked } from '../support/locks.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { startSupplierShop } from '../support/supplier-shop.ts'

const EVERY_SECOND = { cron: '* * * * * *' }
const patience = { timeout: PROCESS_TIMEOUT_MS, interval: 5 }

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

let count = 0

/** A job that isn't among the shop's. */
function testJob(run: () => Promise<void>, schedule: Job['schedule'] = EVERY_SECOND): Job {
  count += 1
  return { name: `test-${count}`, description: '', schedule, flag: 'job_popularity_enabled', run }
}

const STAFF = { id: null, name: 'Staff', email: null, role: 'ADMIN' } as const
const withJobs = (deps: Deps, ...jobs: Job[]): Deps => ({ ...deps, jobs })

const jobNamed = (name: string, { deps } = shop): Job => {
  const job = deps.jobs.find((one) => one.name === name)
  if (job === undefined) throw new Error(`There is no job ${name}`)
  return job
}

const runsOf = ({ name }: Job, { deps } = shop) =>
  deps.db.selectFrom('job_runs').selectAll().where('job', '=', name).orderBy('id').execute()

// They wait for the seconds of the clock.
describe.concurrent('a schedule', () => {
  test('continues after a failed run', async ({ expect }) => {
    const failing = testJob(vi.fn(() => Promise.reject(new Error('no luck'))))
    const stopJobs = startJobs(withJobs(shop.deps, failing))
    await vi.waitFor(async () => expect((await runsOf(failing)).length).toBeGreaterThan(1), patience)
    stopJobs()
    expect((await runsOf(failing))[0]).toMatchObject({
      status: 'FAILED',
      error: 'Internal error; see the log',
      instance: shop.deps.instance,
    })
  })

  test('runs a job with a pause at once, then after each pause, and never after a stop', async ({
    expect,
    onTestFinished,
  }) => {
    const events: string[] = []
    const end: (() => void)[] = []
    const run = vi.fn(async () => {
      events.push('begins')
      await new Promise<void>((resolve) => end.push(resolve))
      events.push('ends')
      if (events.length === 2) throw new Error('no luck')
    })
    const job = testJob(run, { pauseMs: 100 })
    const stopJobs = startJobs(withJobs(shop.deps, job))
    onTestFinished(() => {
      stopJobs()
      for (const resolve of end) resolve()
    })
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1), patience)
    end[0]?.()
    const ended = performance.now()
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), patience)
    expect(performance.now() - ended).toBeGreaterThan(90)
    stopJobs()
    end[1]?.()
    const ticks = vi.fn()
    const clock = new Cron(EVERY_SECOND.cron, ticks)
    await vi.waitFor(() => expect(ticks).toHaveBeenCalledTimes(2), patience)
    clock.stop()
    expect(events).toEqual(['begins', 'ends', 'begins', 'ends'])
  })

  test('skips a tick during a run, and a stop waits for the run', async ({ expect }) => {
    const deps = { ...shop.deps, tasks: createTasks() }
    const end = Promise.withResolvers<void>()
    const slow = testJob(vi.fn(() => end.promise))
    const ticks = vi.fn(async () => {})
    const stopJobs = startJobs(withJobs(deps, slow, testJob(ticks)))
    await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(2), patience)
    expect('run' in slow && slow.run).toHaveBeenCalledTimes(1)
    stopJobs()
    const stopped = vi.fn()
    const stop = deps.tasks.stop().then(stopped)
    await new Promise(setImmediate)
    expect(stopped).not.toHaveBeenCalled()
    end.resolve()
    await stop
  })

  test('logs a run that a stop interrupts as a warning without a stack', async ({ expect }) => {
    const [tasks, warn, error] = [createTasks(), vi.fn(), vi.fn()]
    const log = Object.assign(Object.create(shop.deps.log), { warn, error })
    const job = testJob(async () => {
      // The task counts as running once this has returned.
      await new Promise(setImmediate)
      void tasks.stop()
      throw new Error('no luck')
    })
    await runDueJob({ ...withJobs(shop.deps, job), tasks, log }, job, null)
    expect(error).not.toHaveBeenCalled()
    const line = { job: job.name, error: 'Interrupted: The service is stopping' }
    expect(warn).toHaveBeenCalledExactlyOnceWith(line, 'job interrupted')
    expect(await runsOf(job)).toMatchObject([{ status: 'FAILED', error: line.error }])
  })

  test('refuses to start a job while the tasks stop, and leaves no run in progress', async ({ expect }) => {
    const deps = { ...shop.deps, tasks: createTasks() }
    const job = testJob(vi.fn(async () => {}))
    await deps.tasks.stop()
    const started = startJob(withJobs(deps, job), STAFF, job.name)
    await expect(started).rejects.toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect('run' in job && job.run).not.toHaveBeenCalled()
    expect(await runsOf(job)).toEqual([])
  })

  test('ignores ticks after the tasks have stopped', async ({ expect }) => {
    const deps = { ...shop.deps, tasks: createTasks() }
    await deps.tasks.stop()
    const run = vi.fn(async () => {})
    const ticks = vi.fn()
    const stopJobs = startJobs(withJobs(deps, testJob(run)))
    const clock = new Cron(EVERY_SECOND.cron, ticks)
    await vi.waitFor(() => expect(ticks.mock.calls.length).toBeGreaterThan(1), patience)
    clock.stop()
    stopJobs()
    expect(run).not.toHaveBeenCalled()
  })
})

describe('a due job', () => {
  const NOON = new Date('2026-11-23T12:00:00Z')

  test('runs on one instance for each time of its schedule', async () => {
    const run = vi.fn(async () => {})
    const job = testJob(run)
    await Promise.all(Array.from({ length: 5 }, () => runDueJob(shop.deps, job, NOON)))
    await runDueJob(shop.deps, job, NOON)
    expect(run).toHaveBeenCalledTimes(1)
    await runDueJob(shop.deps, job, new Date(NOON.getTime() + 1000))
    expect(run).toHaveBeenCalledTimes(2)
  })

  test('with pauses runs once in a pause, whichever instance asks', async () => {
    const run = vi.fn(async () => {})
    const job = testJob(run, { pauseMs: 60_000 })
    await runDueJob(shop.deps, job, null)
    await runDueJob(shop.deps, job, null)
    expect(run).toHaveBeenCalledTimes(1)
    await shop.deps.db
      .updateTable('job_runs')
      .set({ finished_at: new Date(Date.now() - 61_000) })
      .where('job', '=', job.name)
      .execute()
    await runDueJob(shop.deps, job, null)
    expect(run).toHaveBeenCalledTimes(2)
  })

  test('does nothing while its flag is off', async () => {
    const run = vi.fn(async () => {})
    const job: Job = { ...testJob(run), flag: 'job_category_visibility_enabled' }
    const set = (value: string) =>
      shop.deps.db.updateTable('app_config').set({ value }).where('key', '=', job.flag).execute()
    await set('false')
    await runDueJob(shop.deps, job, NOON)
    expect(run).not.toHaveBeenCalled()
    await set('true')
    await runDueJob(shop.deps, job, NOON)
    expect(run).toHaveBeenCalledTimes(1)
  })

  test('runs again after a process that died during a run, which is recorded as failed', async () => {
    const run = vi.fn(async () => {})
    const job = testJob(run)
    const insert = (heartbeat_at: Date) =>
      shop.deps.db.insertInto('job_runs').values({ job: job.name, instance: 'gone:1', heartbeat_at }).execute()
    await insert(new Date(Date.now() - 30_000))
    await runDueJob(shop.deps, job, NOON)
    expect(run).not.toHaveBeenCalled()
    await shop.deps.db.deleteFrom('job_runs').where('job', '=', job.name).execute()
    await insert(new Date(Date.now() - 61_000))
    await runDueJob(shop.deps, job, NOON)
    expect(run).toHaveBeenCalledTimes(1)
    expect(await runsOf(job)).toMatchObject([
      { status: 'FAILED', error: expect.stringContaining('Interrupted'), instance: 'gone:1' },
      { status: 'SUCCEEDED', error: null, finished_at: expect.any(Date) },
    ])
  })

  test('that was taken for dead does not change its record', async () => {
    const job = testJob(async () => {
      const values = { status: 'FAILED' as const, finished_at: new Date(), error: 'taken over' }
      await shop.deps.db.updateTable('job_runs').set(values).where('job', '=', job.name).execute()
    })
    await runDueJob(shop.deps, job, NOON)
    expect(await runsOf(job)).toMatchObject([{ status: 'FAILED', error: 'taken over' }])
  })

  test('keeps its last hundred runs, and its last success', async () => {
    const { db } = shop.deps
    const [job, failing, other] = [testJob(async () => {}), testJob(async () => {}), testJob(async () => {})]
    await runDueJob(shop.deps, other, NOON)
    await runDueJob(shop.deps, failing, NOON)
    const finished = { instance: 'x:1', finished_at: new Date(0) }
    const insert = (name: string, status: 'SUCCEEDED' | 'FAILED') =>
      db
        .insertInto('job_runs')
        .values(Array.from({ length: 120 }, () => ({ ...finished, job: name, status })))
        .execute()
    await insert(job.name, 'SUCCEEDED')
    await insert(failing.name, 'FAILED')
    await runDueJob(shop.deps, job, NOON)
    await purge(shop.deps)
    const left = await runsOf(job)
    expect(left).toHaveLength(100)
    expect(left.at(-1)).toMatchObject({ instance: shop.deps.instance, status: 'SUCCEEDED' })
    const failures = await runsOf(failing)
    expect(failures).toHaveLength(101)
    expect(failures[0]).toMatchObject({ status: 'SUCCEEDED' })
    expect(await runsOf(other)).toHaveLength(1)
  })
})

describe('the jobs of the shop', () => {
  test('take schedules and flags from the environment', () => {
    const { config } = shop.deps
    const jobs = configureJobs({ ...config, syncCron: '1 * * * * *', visibilityCron: '2 * * * * *' })
    expect(jobs.find(({ name }) => name === 'supplier-sync')).toMatchObject({
      schedule: { cron: '1 * * * * *' },
      flag: 'job_sync_enabled',
    })
    expect(jobs.find(({ name }) => name === 'category-visibility')).toMatchObject({
      schedule: { cron: '2 * * * * *' },
      flag: 'job_category_visibility_enabled',
    })
    expect(jobs.find(({ name }) => name === 'image-scraping')).toMatchObject({
      schedule: { pauseMs: config.scraping.jobDelayMs },
      enabledByDefault: config.scraping.enabled,
    })
    const hurried = configureJobs({ ...config, scraping: { ...config.scraping, jobDelayMs: 0 } })
    expect(hurried.find(({ name }) => name === 'image-scraping')).toMatchObject({ schedule: { pauseMs: 100 } })
    expect(new Set(jobs.map(({ flag }) => flag)).size).toBe(jobs.length)
  })

  test('deliver due mails and purge old ones', async () => {
    const { db } = shop.deps
    const statuses = async () => (await db.selectFrom('mails').select('status').execute()).map(({ status }) => status)
    const mail = { recipient: 'boss@example.test', subject: 'Hello', body: 'There' }
    await db.transaction().execute((trx) => enqueueMail(trx, mail))
    await runDueJob(shop.deps, jobNamed('mail-delivery'), new Date(0))
    expect(await statuses()).toEqual(['SENT'])
    await db
      .updateTable('mails')
      .set({ created_at: new Date('2020-01-01') })
      .execute()
    await runDueJob(shop.deps, jobNamed('purge'), new Date(0))
    expect(await statuses()).toEqual([])
  })

  test('record a scheduled sync, a manual and a failed one, and skip it while another runs', async () => {
    const world = await startSupplierShop({}, generateCatalogue({ products: 20, seed: 1 }))
    try {
      const { deps } = world.shop
      const job = jobNamed('supplier-sync', world.shop)
      const due = (second: number) => runDueJob(deps, job, new Date(second * 1000))
      await due(1)
      await due(1)
      // What the sync reads first.
      const lock = (trx: Trx) => sql`lock table categories`.execute(trx)
      const { finished } = await whileLocked(deps.db, lock, async () => {
        const manual = await startSync(deps, 'MANUAL')
        await due(2)
        return { finished: manual.finished }
      })
      await finished
      world.supplier.faults.set({ failNext: 1, status: 400 })
      await due(3)
      const runs = await deps.db.selectFrom('sync_runs').select(['trigger', 'status']).orderBy('id').execute()
      expect(runs.map(({ trigger, status }) => `${trigger} ${status}`)).toEqual([
        'CRON SUCCEEDED',
        'MANUAL SUCCEEDED',
        'CRON FAILED',
      ])
      const recorded = await runsOf(job, world.shop)
      expect(recorded.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'FAILED'])
      expect(recorded.at(-1)?.error).toContain('400')
    } finally {
      await world.close()
    }
  })
})
