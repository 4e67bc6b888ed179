import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { LOCKS } from '../../../db/locks.ts'
import { findRun } from '../../../db/queries/supplier/runs.ts'
import { startSync } from '../../../src/services/supplier/sync.ts'
import { breakLock, untilWaiting, whileLocked } from '../../support/locks.ts'
import { failRuns } from '../../support/runs.ts'
import { type Answer, type ScriptedShop, startScriptedShop, wireProduct } from '../../support/scripted-supplier.ts'

let world: ScriptedShop
/** Another instance, of both tests that pause one. */
let other: ChildProcess | undefined

beforeAll(async () => {
  world = await startScriptedShop()
})
beforeEach(() => world.startOver())
afterAll(async () => {
  if (other?.kill('SIGKILL')) await once(other, 'exit')
  await world.close()
})

const db = () => world.shop.deps.db
const states = () => db().selectFrom('sync_state').selectAll().orderBy('sync_type').execute()
const names = async () => {
  const { rows } = await sql<{ name: string }>`
    select name from categories union all select name from brands union all select name from products`.execute(db())
  return rows.map(({ name }) => name)
}

/**
 * Runs a sync in a process that is stopped with the answer to `list` in its socket, loses its lock, and goes on after a
 * run of this process. @returns the id of its run
 */
async function runPaused(list: string, held: Answer, meanwhile: () => Promise<unknown>): Promise<number> {
  const { config } = world.shop.deps
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Answer>()
  world.supplier.intercept = (request) => {
    if (request.list !== list) return undefined
    asked.resolve()
    return answer.promise
  }
  other ??= fork(new URL('../../support/sync-process.ts', import.meta.url), {
    env: {
      ...process.env,
      TEST_DATABASE_URL: config.databaseUrl,
      TEST_DATA_DIR: config.dataDir,
      TEST_SUPPLIER_URL: world.supplier.url,
    },
    stdio: 'inherit',
  })
  other.send('start')
  const [message] = await once(other, 'message')
  await asked.promise
  await pauseProcess(other)
  answer.resolve(held)
  world.supplier.intercept = null
  await breakLock(db(), LOCKS.supplierSync)
  await meanwhile()
  const finished = once(other, 'message')
  other.kill('SIGCONT')
  await finished
  return JSON.parse(String(message)).runId
}

const updatedAt = '01.01.2026 00:00:00.000'

test.each([
  ['ListCategories', { items: [{ id: '1', name: 'Old', updatedAt }] }],
  ['ListProducts', { items: [wireProduct('1', { name: 'Old' })], page: 1, nextPage: null }],
])('a run paused with %s in its socket writes nothing over a newer run', async (list, old) => {
  const newer = { id: '1', name: 'New', updatedAt }
  world.supplier.lists = {
    ListCategories: [newer],
    ListBrands: [newer],
    ListProducts: [wireProduct('1', { name: 'New' })],
  }
  let stored: unknown
  const runId = await runPaused(list, { body: old }, async () => {
    expect((await world.sync()).status).toBe('SUCCEEDED')
    stored = await states()
  })
  expect(await names()).toEqual(['New', 'New', 'New'])
  expect(await states()).toEqual(stored)
  expect(await findRun(db(), runId)).toMatchObject({
    status: 'FAILED',
    error: 'Interrupted: the process ended',
    feed: null,
  })
})

test.each([
  ['sync_seen_products', { full: true }],
  ['sync_state', { full: false }],
])('a run cannot be failed while it writes %s, and writes nothing afterwards', async (table, options) => {
  const { deps } = world.shop
  await world.sync()
  const exclusively = (trx: Trx) => sql`lock table ${sql.table(table)} in exclusive mode`.execute(trx)
  const { run, failing } = await whileLocked(db(), exclusively, async () => {
    const started = await startSync(deps, 'MANUAL', options)
    await untilWaiting(db())
    const result = failRuns(db(), 'sync_runs')
    await untilWaiting(db(), 2)
    return { run: started, failing: result }
  })
  expect(await failing).toHaveLength(1)
  // Another list may have been written before the failure came to the row.
  const whenFailed = await states()
  await run.finished
  expect(await findRun(db(), run.runId)).toMatchObject({ status: 'FAILED', feed: null })
  expect(await states()).toEqual(whenFailed)
})

test('a run that was failed before its end does not store what it missed', async () => {
  const { deps } = world.shop
  world.supplier.lists.ListProducts = [wireProduct('1')]
  await world.sync()
  world.supplier.lists.ListProducts = []
  const before = await states()
  // What the end reads before it checks the run.
  const exclusively = (trx: Trx) => sql`lock table sync_missed in access exclusive mode`.execute(trx)
  const { run } = await whileLocked(db(), exclusively, async () => {
    const started = await startSync(deps, 'MANUAL', { full: true })
    await untilWaiting(db())
    expect(await failRuns(db(), 'sync_runs')).toHaveLength(1)
    return { run: started }
  })
  await run.finished
  expect(await db().selectFrom('sync_missed').selectAll().execute()).toEqual([])
  expect(await findRun(db(), run.runId)).toMatchObject({ status: 'FAILED', feed: null })
  expect((await states()).find(({ sync_type }) => sync_type === 'PRODUCTS')).toEqual(
    before.find(({ sync_type }) => sync_type === 'PRODUCTS'),
  )
})

/** Stops a process until SIGCONT, and waits until it has stopped; Linux only. */
async function pauseProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  const isStopped = async () => / T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8'))
  while (!(await isStopped())) await nextTurn()
}
