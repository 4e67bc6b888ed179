import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Trx } from '../../../db/database.ts'
import { LOCKS } from '../../../db/locks.ts'
import { lockRun } from '../../../db/queries/supplier/runs.ts'
import { storeWatermark } from '../../../db/queries/supplier/watermarks.ts'
import { generateCatalogue } from '../../../demo/generate.ts'
import { recoverRuns } from '../../../src/services/runs.ts'
import { SYNC, startSync } from '../../../src/services/supplier/sync.ts'
import { loginAs } from '../../support/accounts.ts'
import { breakLock, untilWaiting, whileLocked } from '../../support/locks.ts'
import { failRuns } from '../../support/runs.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { type SupplierShop, startSupplierShop } from '../../support/supplier-shop.ts'

/** One more than are written together. */
const PAGES = 6
let world: SupplierShop

beforeAll(async () => {
  world = await startSupplierShop({}, generateCatalogue({ products: PAGES * 100, seed: 3 }))
})
beforeEach(async () => {
  world.supplier.faults.reset()
  world.supplier.requests.length = 0
  await world.shop.deps.db.deleteFrom('sync_state').execute()
})
afterAll(() => world.close())

const states = async () => (await world.shop.deps.db.selectFrom('sync_state').select('sync_type').execute()).length
const countProducts = async () => (await world.shop.deps.db.selectFrom('products').select('id').execute()).length

/** Stops a run at its first page of products. */
const products = (trx: Trx) => sql`lock table products in exclusive mode`.execute(trx)

/** Calls `work` during a run, which a lock stops, and waits for the run's end. */
async function duringRun<T>(work: () => Promise<T>, lock = products): Promise<{ runId: number; result: T }> {
  const { deps } = world.shop
  const { db } = deps
  const { runId, finished, result } = await whileLocked(db, lock, async () => {
    const run = await startSync(deps, 'MANUAL')
    await untilWaiting(db)
    return { ...run, result: await work() }
  })
  await finished
  return { runId, result }
}

/** Ends the reading of products, unless its state was discarded. */
async function endProducts(trx: Trx, runId: number): Promise<void> {
  const { state_discarded } = await lockRun(trx, runId)
  if (state_discarded) return
  await storeWatermark(trx, 'PRODUCTS', { lastSyncTime: new Date(), nextSyncTime: null })
}

test('ends the run when a type fails, and stores the state of earlier types only', async () => {
  world.supplier.faults.set({ failNext: 100, status: 403, path: 'page=3' })
  const run = await world.sync()
  expect(run).toMatchObject({
    status: 'FAILED',
    error: expect.stringMatching(/^ListProducts: the supplier answered 403/),
  })
  expect(run.finishedAt).not.toBeNull()
  const stored = await world.shop.deps.db.selectFrom('sync_state').select('sync_type').orderBy('sync_type').execute()
  expect(stored.map((row) => row.sync_type)).toEqual(['BRANDS', 'CATEGORIES'])
  // A 4xx is not retried.
  expect(world.supplier.requests.filter(({ path }) => path.includes('page=3'))).toHaveLength(1)
})

test('asks for the next pages while the database writes some', async () => {
  const { requests } = world.supplier
  const stock = (trx: Trx) => sql`lock table stock in exclusive mode`.execute(trx)
  await duringRun(
    () => expect.poll(() => requests.filter(({ path }) => path.includes('page=6')), { interval: 20 }).toHaveLength(1),
    stock,
  )
  expect(requests.filter(({ path }) => path.includes('page='))).toHaveLength(PAGES)
})

test('stores the start of the run as the watermark', async () => {
  world.supplier.faults.set({ latencyMs: 50 })
  const run = await world.sync()
  const rows = await world.shop.deps.db.selectFrom('sync_state').selectAll().execute()
  expect(rows).toHaveLength(3)
  for (const { last_sync_time } of rows) {
    // The supplier's time is in whole seconds.
    expect(last_sync_time.getTime()).toBeLessThanOrEqual(Date.parse(run.startedAt))
    expect(last_sync_time.getTime()).toBeGreaterThan(Date.parse(run.startedAt) - 60_000)
  }
})

test('rejects a second run with 409 and the id of the first', async () => {
  const { deps } = world.shop
  const { db } = deps
  const { first } = await whileLocked(db, products, async () => {
    const started = await Promise.allSettled(Array.from({ length: 5 }, () => startSync(deps, 'MANUAL')))
    const won = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const lost = started.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect([won.length, lost.length]).toEqual([1, 4])
    for (const reason of lost) expect(reason).toMatchObject({ status: 409, code: 'SYNC_RUNNING' })
    await expect(startSync(deps, 'CRON')).rejects.toMatchObject({
      extras: { body: { runId: won[0]?.runId } },
    })
    return { first: won[0] }
  })
  await first?.finished
})

test('keeps a reset made during a run', async () => {
  const token = await loginAs(world.shop, 'ADMIN')
  const { result } = await duringRun(() => world.shop.call('POST', '/admin/sync/reset', { token }))
  expect([result.status, result.body]).toEqual([200, []])
  expect(await states()).toBe(0)
})

const insertRun = () =>
  world.shop.deps.db
    .insertInto('sync_runs')
    .values({ status: 'RUNNING', trigger: 'MANUAL', started_at: new Date() })
    .returning('id')
    .executeTakeFirstOrThrow()

test('leaves no state when a reset and a run coincide, in either order', async () => {
  const { db } = world.shop.deps
  const token = await loginAs(world.shop, 'ADMIN')
  const reset = () => world.shop.call('POST', '/admin/sync/reset', { token })
  const first = await insertRun()
  const behind = await whileLocked(
    db,
    (trx) => endProducts(trx, first.id),
    async () => {
      const answer = reset()
      await untilWaiting(db)
      return { answer }
    },
  )
  expect((await behind.answer).body).toEqual([])
  expect(await states()).toBe(0)

  await failRuns(db, 'sync_runs')
  const second = await insertRun()
  await db.insertInto('sync_state').values({ sync_type: 'BRANDS', last_sync_time: new Date() }).execute()
  const before = await whileLocked(
    db,
    (trx) => trx.selectFrom('sync_state').selectAll().forUpdate().execute(),
    async () => {
      // The reset has notified the run and waits for the lock.
      const answer = reset()
      await untilWaiting(db)
      const stored = db.transaction().execute((trx) => endProducts(trx, second.id))
      await untilWaiting(db, 2)
      return { answer, stored }
    },
  )
  await before.stored
  expect((await before.answer).body).toEqual([])
  expect(await states()).toBe(0)
})

test('finishes a run that lost its lock, as no other one begins', async () => {
  const { db } = world.shop.deps
  const { runId } = await duringRun(() => breakLock(db, LOCKS.supplierSync))
  const run = await db.selectFrom('sync_runs').select(['status', 'error']).where('id', '=', runId).executeTakeFirst()
  expect(run).toEqual({ status: 'SUCCEEDED', error: null })
})

test('recovers after a process was killed during a run', async () => {
  const { db, config } = world.shop.deps
  await db.deleteFrom('products').execute()
  world.supplier.faults.set({ hangNext: 1, path: 'page=6' })
  const child = fork(new URL('../../support/sync-process.ts', import.meta.url), {
    env: {
      ...process.env,
      TEST_DATABASE_URL: config.databaseUrl,
      TEST_DATA_DIR: config.dataDir,
      TEST_SUPPLIER_URL: world.supplier.url,
    },
    stdio: 'inherit',
  })
  child.send('start')
  const [message] = await once(child, 'message')
  const { runId } = JSON.parse(String(message))
  await expect.poll(countProducts, { timeout: PROCESS_TIMEOUT_MS }).toBe(500)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await states()).toBe(2)

  // The server may notice only later that the process is gone, and release its lock.
  const stateOfRun = async () => {
    await recoverRuns(world.shop.deps, SYNC)
    return db.selectFrom('sync_runs').select(['status', 'error']).where('id', '=', runId).executeTakeFirst()
  }
  await expect.poll(stateOfRun).toEqual({ status: 'FAILED', error: expect.stringContaining('Interrupted') })
  world.supplier.faults.reset()
  expect((await world.sync()).status).toBe('SUCCEEDED')
  expect(await countProducts()).toBe(PAGES * 100)
})

// The last one: it stops the shop's background work.
test('stops a run at once despite a hanging supplier', async () => {
  const { deps } = world.shop
  world.supplier.faults.set({ hangNext: 1, path: 'ListBrands' })
  const { runId, finished } = await startSync(deps, 'MANUAL')
  await expect.poll(() => world.supplier.requests.filter(({ path }) => path.includes('ListBrands'))).toHaveLength(1)
  await deps.tasks.stop()
  await finished
  const run = await deps.db
    .selectFrom('sync_runs')
    .select(['status', 'error'])
    .where('id', '=', runId)
    .executeTakeFirst()
  expect(run).toEqual({ status: 'FAILED', error: 'Interrupted: The service is stopping' })
})
