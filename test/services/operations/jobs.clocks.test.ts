import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readFigures } from '../../../db/queries/operations/figures.ts'
import type { Job } from '../../../src/deps.ts'
import { purge, runDueJob } from '../../../src/services/operations/jobs.ts'
import { createProduct } from '../../support/factories.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { createWebhook } from '../../support/webhooks.ts'

// A clock that was wrong has been set right: what it wrote must not keep jobs from running, or work from being due.
let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

const MINUTE_MS = 60_000
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS)
let count = 0

function testJob(schedule: Job['schedule'] = { cron: '0 * * * * *' }): Job & { run: () => Promise<void> } {
  count += 1
  return {
    name: `test-${count}`,
    description: '',
    schedule,
    flag: 'job_popularity_enabled',
    run: vi.fn(async () => {}),
  }
}

/** Inserts a run of a second that was due and began then. */
function insertRun({ name }: Job, begin: Date, due_at: Date | null = begin) {
  const values = { job: name, instance: 'x:1', due_at, started_at: begin, finished_at: begin, heartbeat_at: begin }
  return shop.deps.db
    .insertInto('job_runs')
    .values({ ...values, status: 'SUCCEEDED' })
    .execute()
}

test('after the clocks were set back, a job runs at times that it ran at before, on one instance', async () => {
  const job = testJob()
  const [first, second, last] = [inMinutes(0), inMinutes(1), inMinutes(120)]
  for (const due of [first, second, last]) await insertRun(job, due)
  await Promise.all([runDueJob(shop.deps, job, first), runDueJob(shop.deps, job, first)])
  expect(job.run).toHaveBeenCalledTimes(1)
  await runDueJob(shop.deps, job, first)
  expect(job.run).toHaveBeenCalledTimes(1)
  await runDueJob(shop.deps, job, second)
  await runDueJob(shop.deps, job, last)
  expect(job.run).toHaveBeenCalledTimes(3)
})

test("after an instance's clock was set back and the database's wasn't, a job runs at times of before", async () => {
  const job = testJob()
  for (const minutes of [-30, -29, -1]) await insertRun(job, inMinutes(minutes))
  const [{ due_at: due } = { due_at: null }] = await shop.deps.db
    .selectFrom('job_runs')
    .select('due_at')
    .where('job', '=', job.name)
    .orderBy('id')
    .execute()
  await runDueJob(shop.deps, job, due)
  expect(job.run).toHaveBeenCalledTimes(1)
})

test('an instance whose clock is some minutes behind repeats no times', async () => {
  const job = testJob()
  const dues = [-5, -4, -3, -2, -1, 0].map(inMinutes)
  for (const due of dues) await insertRun(job, due)
  for (const due of dues) await runDueJob(shop.deps, job, due)
  expect(job.run).not.toHaveBeenCalled()
})

test('after the clock was set back, a job with pauses heeds its last run only', async () => {
  const job = testJob({ pauseMs: MINUTE_MS })
  for (const minutes of [-0.5, 119, 120]) await insertRun(job, inMinutes(minutes), null)
  await runDueJob(shop.deps, job, null)
  await runDueJob(shop.deps, job, null)
  expect(job.run).toHaveBeenCalledTimes(1)
})

test('a run that died while the clock was ahead is recorded as failed', async () => {
  const job = testJob()
  const values = { job: job.name, instance: 'gone:1', started_at: inMinutes(120), heartbeat_at: inMinutes(120) }
  await shop.deps.db.insertInto('job_runs').values(values).execute()
  await runDueJob(shop.deps, job, inMinutes(0))
  expect(job.run).toHaveBeenCalledTimes(1)
})

test('the metric of the last success shows the newest run', async () => {
  const job = testJob()
  const last = inMinutes(0)
  for (const at of [inMinutes(600_000), last]) await insertRun(job, at)
  const figures = await readFigures(shop.deps.db)
  const shown = figures.filter(({ labels, name }) => labels.name === job.name && name.startsWith('job_last_success'))
  expect(shown.map(({ value }) => value)).toEqual([last.getTime() / 1000])
})

test('what became due in a far future is due after a purge, and a retry of a day stays', async () => {
  const { db } = shop.deps
  const [tomorrow, farFuture] = [inMinutes(24 * 60), inMinutes(600_000)]
  const delivery = { webhook_id: await createWebhook(shop.deps, 'https://example.test/'), body: '{}' }
  const deliveries = [tomorrow, farFuture].map((next_attempt_at) => ({ ...delivery, next_attempt_at }))
  await db
    .insertInto('webhook_deliveries')
    .values(deliveries.map((values) => ({ ...values, event: 'order.created' })))
    .execute()
  const mail = { recipient: 'a@example.test', subject: 'Hello', body: 'There' }
  await db
    .insertInto('mails')
    .values({ ...mail, next_attempt_at: farFuture })
    .execute()
  const task = { product_id: await createProduct(db), next_attempt_at: farFuture }
  await db.insertInto('gbstore_scrape_queue').values(task).execute()
  await purge(shop.deps)
  const due = async (table: 'webhook_deliveries' | 'mails' | 'gbstore_scrape_queue') => {
    const rows = db.selectFrom(table).select(sql<boolean>`next_attempt_at <= now()`.as('isDue'))
    return (await rows.orderBy('id').execute()).map(({ isDue }) => isDue)
  }
  expect(await due('webhook_deliveries')).toEqual([false, true])
  expect([await due('mails'), await due('gbstore_scrape_queue')]).toEqual([[true], [true]])
})
