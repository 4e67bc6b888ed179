import type { Trx } from '../../db/database.ts'
import { type DatabaseFault, databaseFault } from '../../db/errors.ts'
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
 * @param work returns why it failed, if it did
 * @returns what the work returned; null: it was not done
 */
export async function recordJobRun<Outcome extends { error: string | null }>(
  { db, instance, log, metrics }: Deps,
  job: string,
  { dueAt, pauseMs = 0 }: { dueAt: Date | null; pauseMs?: number },
  work: (jobRunId: number) => Promise<Outcome>,
): Promise<Outcome | null> {
  const id = await jobRuns.claimJobRun(db, instance, job, dueAt, pauseMs)
  if (id === undefined) return null
  const logFailure = (err: unknown) => log.warn({ err, job, jobRunId: id }, 'job run not recorded')
  const heartbeat = setInterval(() => void jobRuns.renewJobRun(db, id).catch(logFailure), jobRuns.HEARTBEAT_MS)
  const startedAt = performance.now()
  let error: string | null = INTERNAL_ERROR
  try {
    const outcome = await work(id)
    error = outcome.error
    return outcome
  } finally {
    clearInterval(heartbeat)
    metrics.jobRuns.inc({ name: job, result: error === null ? 'succeeded' : 'failed' })
    metrics.jobs.observe({ name: job }, (performance.now() - startedAt) / 1000)
    await jobRuns.finishJobRun(db, id, error).catch(logFailure)
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
      await failInterruptedRuns(deps, kind)
      done = kind.job ? await recordJobRun(deps, kind.job, { dueAt }, openAndWork) : await openAndWork(0)
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
  let failure: { error: string; err: unknown; isStop: boolean } | null = null
  try {
    await run.work(signal)
  } catch (err) {
    failure = { error: describeFailure(err, signal), err, isStop: signal.aborted }
  }
  const error = failure?.error ?? null
  await write(deps, async (tx) => {
    await run.lock(tx.db)
    await kind.recordEnd(tx, await jobRuns.endRuns(tx.db, kind.table, run.id, { error, finishedAt: deps.now() }))
  })
  const durationMs = Math.round(performance.now() - startedAt)
  const line = { runId: run.id, durationMs, ...(await run.finish()) }
  if (failure === null) log.info(line, `${kind.name} finished`)
  // No fault, and not worth a stack.
  else if (failure.isStop) log.warn({ ...line, error }, `${kind.name} interrupted`)
  else log.error({ ...line, error, err: failure.err }, `${kind.name} failed`)
  return error
}

/** Records the runs of dead processes as failed, unless a run is in progress on some instance. */
export async function recoverRuns(deps: Deps, kind: RunKind): Promise<void> {
  const lock = await tryLock(deps.config.databaseUrl, kind.lock)
  if (lock === null) return
  await failInterruptedRuns(deps, kind).finally(() => lock.release())
}

async function failInterruptedRuns(deps: Deps, kind: RunKind): Promise<void> {
  const { db, log, now } = deps
  const interrupted = await write(deps, async (tx) => {
    const end = { error: 'Interrupted: the process ended', finishedAt: now() }
    const ids = await jobRuns.endRuns(tx.db, kind.table, null, end)
    await kind.recordEnd(tx, ids)
    return ids.length
  })
  if (kind.job) await jobRuns.closeDeadJobRuns(db, kind.job)
  if (interrupted > 0) log.warn({ interrupted }, `interrupted ${kind.name} recorded as failed`)
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
 * @throws AppError 503 when it isn't known how the run ended; the next run records it as failed
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

const MAX_ATTEMPTS = 3
/** Conflicts with concurrent edits: a deadlock, a slug that was taken, a row that was deleted. */
const TRANSIENT_FAULTS: (DatabaseFault | null)[] = ['RETRYABLE', 'DUPLICATE', 'MISSING_REFERENCE']

/** Repeats a transaction that failed because of a concurrent one. */
export async function retryOnConflict<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !TRANSIENT_FAULTS.includes(databaseFault(error))) throw error
    }
  }
}
