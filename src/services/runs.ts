import type { Db, Trx } from '../../db/database.ts'
import { databaseFault } from '../../db/errors.ts'
import { type ExclusiveWork, tryLock } from '../../db/locks.ts'
import * as jobRuns from '../../db/queries/operations/job-runs.ts'
import type { RunStatus } from '../../db/tables/sync.ts'
import type { Deps } from '../deps.ts'
import {
  AppError,
  conflict,
  type ErrorCode,
  FeedError,
  messageOf,
  SupplierError,
  SupplierFeedError,
} from '../errors.ts'
import { startTask } from '../runtime/concurrency/tasks.ts'
import { storeOutcome } from '../runtime/retries.ts'
import { inTrace } from '../runtime/tracing.ts'
import { type UnitOfWork, write } from '../runtime/write.ts'

/** Work whose runs are recorded, and of which one instance at a time does one run. */
export type RunKind = {
  /** As log lines and messages name it. */
  name: string
  lock: ExclusiveWork
  runningCode: ErrorCode
  /** The job as whose runs these are recorded, too. */
  job?: string
  table: jobRuns.RunTable
  /** Lists the runs in progress of which only the end has to be recorded. */
  listDone(db: Db): Promise<number[]>
  /** Records the changes and events that the end of runs means. */
  recordEnd(tx: UnitOfWork, ids: number[]): Promise<void>
}

export type OpenRun = {
  id: number
  /** @param signal aborted when the process stops */
  work(signal: AbortSignal): Promise<void>
  /** Locks the run's row. @throws Error when another process has recorded the run as failed */
  lock(trx: Trx): Promise<unknown>
  /** Runs when the outcome has been recorded. @returns what the log shows of it */
  finish(): Promise<object>
  /** Runs after the lock is released, unless the run was interrupted. */
  followUp?(): Promise<void>
}

/** `jobRunId`: id of the job's run; 0 for work that isn't a job. */
type RunIds = { runId: number; jobRunId: number }

export type BackgroundRun = RunIds & {
  /** Resolves after the follow-up, whether the run succeeded or failed. Never rejects. */
  finished: Promise<void>
}

const INTERNAL_ERROR = 'Internal error; see the log'

/**
 * Records work as a run of a job, which a heartbeat keeps alive, unless the job runs, ran for this due time, or ended less
 * than `pauseMs` ago, on any instance.
 * @param options.signal aborted when the process stops
 * @param work returns why it failed, if it did
 * @returns what the work returned; null: it was not done
 */
export async function recordJobRun<Outcome extends { error: string | null }>(
  deps: Deps,
  job: string,
  { dueAt, pauseMs = 0, signal }: { dueAt: Date | null; pauseMs?: number; signal: AbortSignal },
  work: (jobRunId: number) => Promise<Outcome>,
): Promise<Outcome | null> {
  const { db, instance, log, metrics } = deps
  const id = await jobRuns.claimJobRun(db, instance, job, dueAt, pauseMs)
  if (id === undefined) return null
  const logFailure = (err: unknown) => log.warn({ err, job, jobRunId: id }, 'job run not recorded')
  // Not in the transaction of the run's row, which must not fail with it.
  const announce = () => write(deps, async (tx) => tx.recordChange('job', [job])).catch(logFailure)
  const heartbeat = setInterval(() => void jobRuns.renewJobRun(db, id).catch(logFailure), jobRuns.HEARTBEAT_MS)
  const startedAt = performance.now()
  let error: string | null = INTERNAL_ERROR
  await announce()
  try {
    const outcome = await inTrace(`job ${job}`, () => work(id))
    error = outcome.error
    return outcome
  } finally {
    metrics.jobRuns.inc({ name: job, result: error === null ? 'succeeded' : 'failed' })
    metrics.jobs.observe({ name: job }, (performance.now() - startedAt) / 1000)
    await storeOutcome(() => jobRuns.finishJobRun(db, id, error), signal, logFailure).catch(logFailure)
    clearInterval(heartbeat)
    await announce()
  }
}

/**
 * Starts a run in the background, under the lock of its kind.
 * @param open inserts or reopens the run's row
 * @param dueAt time of the job's schedule; null for a manual run
 * @returns when the run has been opened
 * @throws AppError 409 `runningCode`, with the id of the other run, or when the job ran for this time; 503 when stopping;
 *   what `open` throws
 */
export async function startRun(
  deps: Deps,
  kind: RunKind,
  open: () => Promise<OpenRun>,
  dueAt: Date | null = null,
): Promise<BackgroundRun> {
  const { begun, finished } = await startTask<RunIds>(deps.tasks, async (signal, begin) => {
    async function openAndWork(jobRunId: number) {
      const run = await open()
      begin({ runId: run.id, jobRunId })
      return { run, error: await workAndRecord(deps, kind, run, signal) }
    }
    const lock = await tryLock(deps.config.databaseUrl, kind.lock)
    if (lock === null) throw await alreadyRunning(deps, kind)
    let done: { run: OpenRun } | null
    try {
      await endInterruptedRuns(deps, kind)
      done = kind.job ? await recordJobRun(deps, kind.job, { dueAt, signal }, openAndWork) : await openAndWork(0)
    } finally {
      await lock.release()
    }
    if (done === null) throw conflict(kind.runningCode, `The ${kind.name} has already run for this time`)
    if (!signal.aborted) await done.run.followUp?.()
  })
  const logFailure = (err: unknown) => deps.log.error({ err, runId: begun.runId }, `${kind.name} not recorded`)
  return { ...begun, finished: finished.catch(logFailure) }
}

/**
 * Does the work of an open run, and records and logs how it ended.
 * @returns why it failed, in words for staff that name no internals; null: it succeeded
 */
async function workAndRecord(deps: Deps, kind: RunKind, run: OpenRun, signal: AbortSignal): Promise<string | null> {
  const { log } = deps
  const startedAt = performance.now()
  const logSilence = (err: unknown) => log.warn({ err, runId: run.id }, `heartbeat of ${kind.name} not stored`)
  const beat = () => void jobRuns.renewRun(deps.db, kind.table, run.id).catch(logSilence)
  const heartbeat = setInterval(beat, jobRuns.HEARTBEAT_MS)
  let failure: { error: string; err: unknown; isStop: boolean } | null = null
  try {
    await run.work(signal)
  } catch (err) {
    failure = { error: describeFailure(err, signal), err, isStop: signal.aborted }
  }
  const error = failure?.error ?? null
  const end = { error, finishedAt: deps.now() }
  const storeEnd = () =>
    write(deps, async (tx) => {
      // The commit of an earlier attempt may have succeeded.
      if (await jobRuns.hasEnded(tx.db, kind.table, run.id, end)) return
      await run.lock(tx.db)
      await kind.recordEnd(tx, await jobRuns.endRuns(tx.db, kind.table, [run.id], end))
    })
  const logRepeat = (err: unknown) => log.warn({ err, runId: run.id }, `end of ${kind.name} not stored`)
  await storeOutcome(storeEnd, signal, logRepeat).finally(() => clearInterval(heartbeat))
  const durationMs = Math.round(performance.now() - startedAt)
  const line = { runId: run.id, durationMs, ...(await run.finish()) }
  if (failure === null) log.info(line, `${kind.name} finished`)
  // No fault, and not worth a stack.
  else if (failure.isStop) log.warn({ ...line, error }, `${kind.name} interrupted`)
  else log.error({ ...line, error, err: failure.err }, `${kind.name} failed`)
  return error
}

/** Ends the runs of dead processes, unless a run is in progress on some instance. */
export async function recoverRuns(deps: Deps, kind: RunKind): Promise<void> {
  const lock = await tryLock(deps.config.databaseUrl, kind.lock)
  if (lock === null) return
  await endInterruptedRuns(deps, kind).finally(() => lock.release())
}

/** As recoverRuns, but leaves alone a process that lost its lock with its connection and goes on. */
export async function recoverSilentRuns(deps: Deps, kinds: RunKind[]): Promise<void> {
  for (const kind of kinds) if (await jobRuns.hasSilentRun(deps.db, kind.table)) await recoverRuns(deps, kind)
}

async function endInterruptedRuns(deps: Deps, kind: RunKind): Promise<void> {
  const { db, log } = deps
  const finishedAt = deps.now()
  const { done, interrupted } = await write(deps, async (tx) => {
    const ids = await kind.listDone(tx.db)
    const done = await jobRuns.endRuns(tx.db, kind.table, ids, { error: null, finishedAt })
    const error = 'Interrupted: the process ended'
    const interrupted = await jobRuns.endRuns(tx.db, kind.table, null, { error, finishedAt })
    await kind.recordEnd(tx, [...done, ...interrupted])
    return { done, interrupted }
  })
  if (kind.job) await jobRuns.closeDeadJobRuns(db, kind.job)
  if (done.length + interrupted.length > 0) log.warn({ done, interrupted }, `end of ${kind.name} recorded late`)
}

/** Without the id when the other run has its lock but no row yet. */
async function alreadyRunning({ db }: Deps, { name, runningCode, table }: RunKind): Promise<AppError> {
  const run = await jobRuns.findRunningRun(db, table)
  const message = run ? `Run ${run.id} of the ${name} is in progress` : `A run of the ${name} is just starting`
  return conflict(runningCode, message, { body: run ? { runId: run.id } : {} })
}

/** Errors of the other side and of the caller in words; the details of any other are only for the log. */
export function describeFailure(thrown: unknown, signal: AbortSignal): string {
  if (signal.aborted) return `Interrupted: ${messageOf(signal.reason)}`
  if (thrown instanceof SupplierError || thrown instanceof SupplierFeedError || thrown instanceof FeedError)
    return thrown.message
  if (thrown instanceof AppError && (thrown.status < 500 || thrown.code === 'UNAVAILABLE')) return thrown.message
  return databaseFault(thrown) === 'UNAVAILABLE' ? 'The database was unavailable' : INTERNAL_ERROR
}

/**
 * The answer to a request that starts a run: the finished run with `wait`, otherwise only its id.
 * @throws AppError 503 when the end of the run could not be stored before a stop; the next start does
 */
export async function answerStarted<Details extends { status: RunStatus }>(
  { runId, finished }: BackgroundRun,
  wait: boolean,
  read: (runId: number) => Promise<Details>,
): Promise<{ status: 202; body: { runId: number; status: 'RUNNING' } } | { status: 200; body: Details }> {
  if (!wait) return { status: 202, body: { runId, status: 'RUNNING' } }
  await finished
  const body = await read(runId)
  if (body.status === 'RUNNING') {
    throw new AppError(503, 'UNAVAILABLE', `Run ${runId} has ended, but its outcome could not be stored`)
  }
  return { status: 200, body }
}

/** Adds the duration of a run to its row. A clock that was set back must not make it negative. */
export function durationOf({ started_at, finished_at }: { started_at: Date | null; finished_at: Date | null }) {
  return started_at && finished_at && Math.max(0, finished_at.getTime() - started_at.getTime())
}

type RunRow = { id: number; status: RunStatus; started_at: Date; finished_at: Date | null; error: string | null }

/** The members of every run. */
export function toRun(row: RunRow) {
  return {
    id: row.id,
    status: row.status,
    startedAt: row.started_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: durationOf(row),
    error: row.error,
  }
}
