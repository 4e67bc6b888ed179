import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Trx } from '../../db/database.ts'
import { LOCKS } from '../../db/locks.ts'
import { HEARTBEAT_MS, hasSilentRun } from '../../db/queries/operations/job-runs.ts'
import { PIPELINE, startPipeline } from '../../src/services/pipeline/runs.ts'
import { type BackgroundRun, describeFailure, type RunKind, recoverSilentRuns } from '../../src/services/runs.ts'
import { SYNC, startSync } from '../../src/services/supplier/sync.ts'
import { numberedCatalogue } from '../demo/client.ts'
import { type FeedServer, feedXml, startFeedServer } from '../support/feed-server.ts'
import { breakLock, untilWaiting, whileLocked } from '../support/locks.ts'
import { loseCommit } from '../support/lost-commits.ts'
import { type SupplierShop, startSupplierShop } from '../support/supplier-shop.ts'

let world: SupplierShop
let feed: FeedServer

beforeAll(async () => {
  feed = await startFeedServer()
  feed.serve(feedXml({ offers: [{ id: 'T1' }] }))
  world = await startSupplierShop({ XML_FEED_URL: feed.url }, numberedCatalogue(30))
})
afterAll(async () => {
  await world.close()
  await feed.close()
})

type Kind = {
  kind: RunKind
  start(): Promise<BackgroundRun>
  /** What a run waits for in the middle of its work. */
  lock: 'productRows' | ((trx: Trx) => Promise<unknown>)
  /** Takes back the last of a run's work. */
  undo(runId: number): Promise<unknown>
}

const db = () => world.shop.deps.db
const KINDS: Kind[] = [
  {
    kind: SYNC,
    start: () => startSync(world.shop.deps, 'MANUAL'),
    lock: 'productRows',
    undo: (id) => db().updateTable('sync_runs').set({ imported: false }).where('id', '=', id).execute(),
  },
  {
    kind: PIPELINE,
    start: () => startPipeline(world.shop.deps),
    lock: (trx) => sql`lock table product_attributes in exclusive mode`.execute(trx),
    undo: (id) =>
      db()
        .updateTable('xml_pipeline_stages')
        .set({ status: 'RUNNING' })
        .where('run_id', '=', id)
        .where('stage', '=', 'IMAGE_QUEUE')
        .execute(),
  },
]

/** Key of the advisory lock that waits for the end of a run. */
const END = 4712
const holdEnd = (trx: Trx) => sql`select pg_advisory_xact_lock(${sql.lit(END)})`.execute(trx)

describe.each(KINDS)('$kind.name', ({ kind, start, lock, undo }) => {
  const runs = () => db().selectFrom(kind.table)
  const stateOf = (id: number) => runs().select(['status', 'error']).where('id', '=', id).executeTakeFirstOrThrow()
  const succeeded = { status: 'SUCCEEDED', error: null }

  /** Makes the statement that ends a run wait for `holdEnd`. */
  async function waitAtEnd() {
    await sql`create function wait_at_end() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${sql.lit(END)}); return new; end $$`.execute(db())
    await sql`create trigger wait_at_end before update on ${sql.table(kind.table)} for each row
      when (new.status <> 'RUNNING') execute function wait_at_end()`.execute(db())
    onTestFinished(async () => void (await sql`drop function wait_at_end cascade`.execute(db())))
  }

  test('stores the end of a run again when the connection broke meanwhile', async () => {
    await waitAtEnd()
    const { runId, finished } = await whileLocked(db(), holdEnd, async () => {
      const started = await start()
      await untilWaiting(db())
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db())
      await untilWaiting(db(), 0)
      return started
    })
    await finished
    expect(await stateOf(runId)).toEqual(succeeded)
  })

  test('stores the end of a run once, when the answer to the commit was lost', async () => {
    let begun = false
    const isLost = loseCommit(db(), async () => {
      const isRunning = (await runs().select('id').where('status', '=', 'RUNNING').execute()).length > 0
      begun ||= isRunning
      return begun && !isRunning
    })
    const { runId, finished } = await start()
    await finished
    expect(isLost()).toBe(true)
    expect(await stateOf(runId)).toEqual(succeeded)
  })

  const update = (id: number, values: { status?: 'RUNNING'; finished_at?: null; heartbeat_at?: RawBuilder<Date> }) =>
    db().updateTable(kind.table).set(values).where('id', '=', id).execute()
  const silence = (id: number) => update(id, { heartbeat_at: sql<Date>`now() - interval '61 seconds'` })

  test('records how a run ended whose process died before it could', async () => {
    const { runId, finished } = await start()
    await finished
    const recovered = async () => {
      await recoverSilentRuns(world.shop.deps, [kind])
      return stateOf(runId)
    }
    await update(runId, { status: 'RUNNING', finished_at: null })
    expect(await recovered()).toEqual({ status: 'RUNNING', error: null })
    await silence(runId)
    expect(await recovered()).toEqual({ status: 'SUCCEEDED', error: null })

    await update(runId, { status: 'RUNNING', finished_at: null })
    await undo(runId)
    expect(await recovered()).toEqual({ status: 'FAILED', error: 'Interrupted: the process ended' })
  })

  test('leaves alone a run that lost its lock and goes on', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { runId, finished } = await whileLocked(db(), lock, async () => {
      const started = await start()
      await untilWaiting(db())
      await breakLock(db(), LOCKS[kind.lock])
      await silence(started.runId)
      vi.advanceTimersByTime(HEARTBEAT_MS)
      await expect.poll(() => hasSilentRun(db(), kind.table)).toBe(false)
      await recoverSilentRuns(world.shop.deps, [kind])
      expect(await stateOf(started.runId)).toEqual({ status: 'RUNNING', error: null })
      return started
    })
    await finished
    expect(await stateOf(runId)).toEqual(succeeded)
  })
})

test('says that the database was unavailable, and nothing of other errors of its own', async () => {
  const { signal } = new AbortController()
  const reasonOf = (statement: string) =>
    sql
      .raw(statement)
      .execute(db())
      .catch((error: unknown) => describeFailure(error, signal))
  expect(await reasonOf('select secret')).toBe('Internal error; see the log')
  expect(await reasonOf('select pg_terminate_backend(pg_backend_pid())')).toBe('The database was unavailable')
})
