import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase } from '../../../db/database.ts'
import { claimJobRun, closeDeadJobRuns, findRunningJob, renewJobRun } from '../../../db/queries/operations/job-runs.ts'
import {
  insertRun,
  listStages,
  type RunAttempt,
  type StageValues,
  updateStage,
} from '../../../db/queries/pipeline/runs.ts'
import { claimTask, extendLease, requeueExpiredTasks } from '../../../db/queries/scraping/leases.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createProduct } from '../../support/factories.ts'

// What only runs write that take longer than those of other tests.
let db: Db
let close: () => Promise<void>
beforeAll(async () => {
  const database = await createTestDatabase()
  const opened = openDatabase(database.url, () => {})
  db = opened.db
  close = async () => {
    await opened.close()
    await database.drop()
  }
})
afterAll(() => close())

test('a heartbeat keeps a run of a job from being taken for dead', async () => {
  const claim = (job: string) => claimJobRun(db, 'here', job, null)
  const renewed = await claim('renewed')
  await claim('silent')
  await db.updateTable('job_runs').set({ heartbeat_at: sql`now() - interval '1 hour'` }).execute()
  await renewJobRun(db, renewed ?? 0)
  await closeDeadJobRuns(db)
  expect(await findRunningJob(db, 'renewed')).toMatchObject({ id: renewed })
  expect(await findRunningJob(db, 'silent')).toBeUndefined()
})

test('a lease is extended for whoever has the claim', async () => {
  await db
    .insertInto('gbstore_scrape_queue')
    .values({ product_id: await createProduct(db) })
    .execute()
  const task = await claimTask(db, -1000)
  if (task === undefined) throw new Error('nothing to claim')
  await extendLease(db, task, 60_000)
  expect(await requeueExpiredTasks(db, 5)).toBe(0)
  await extendLease(db, task, -1000)
  await extendLease(db, { ...task, attempts: task.attempts + 1 }, 60_000)
  expect(await requeueExpiredTasks(db, 5)).toBe(1)
})

test('a stage of the pipeline shows how far it is', async () => {
  const run = await insertRun(db, new Date())
  const update = (attempt: RunAttempt, values: StageValues) =>
    db.transaction().execute((trx) => updateStage(trx, attempt, 'PARSE', values))
  await update(run, { status: 'RUNNING', counts: '{"offers": 7}' })
  expect(await listStages(db, [run.id])).toContainEqual(
    expect.objectContaining({ stage: 'PARSE', status: 'RUNNING', counts: { offers: 7 } }),
  )
  const earlier = { ...run, attempts: run.attempts - 1 }
  await expect(update(earlier, { counts: '{}' })).rejects.toThrow('has failed this run')
})
