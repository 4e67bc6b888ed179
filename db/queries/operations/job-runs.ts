import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { JobRunRow } from '../../tables/operations.ts'

const LEASE_S = 60
export const HEARTBEAT_MS = (LEASE_S * 1000) / 4
export const MAX_KEPT_RUNS = 100
const isSilent = sql<boolean>`abs(extract(epoch from now() - heartbeat_at)) > ${LEASE_S}`

/**
 * Inserts a run unless the job runs, ran for this due time, or ended less than `pauseMs` ago, on any instance.
 * @param instance name of this process
 * @param dueAt time of the schedule; null: not scheduled
 * @returns the id of the run; undefined without one
 */
export async function claimJobRun(
  db: Db,
  instance: string,
  job: string,
  dueAt: Date | null,
  pauseMs = 0,
): Promise<number | undefined> {
  await closeDeadJobRuns(db)
  // Due times repeat after a clock was set back: a run of one counts no more once a later run began at quite another time.
  await db
    .updateTable('job_runs as run')
    .set({ due_at: null })
    .where('job', '=', job)
    .where('due_at', '=', dueAt)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('job_runs as later')
          .whereRef('later.job', '=', 'run.job')
          .whereRef('later.id', '>', 'run.id')
          .where(
            sql<boolean>`later.started_at not between
              run.started_at - interval '10 minutes' and run.started_at + interval '10 minutes'`,
          ),
      ),
    )
    .execute()
  const newest = db.selectFrom('job_runs').select('finished_at').where('job', '=', job).orderBy('id', 'desc').limit(1)
  const claimed = await db
    .insertInto('job_runs')
    .columns(['job', 'instance', 'due_at'])
    .expression(
      db
        .selectNoFrom([
          sql`${job}::text`.as('job'),
          sql`${instance}::text`.as('instance'),
          sql`${dueAt}::timestamptz`.as('due_at'),
        ])
        .where(({ exists, not, selectFrom }) => {
          const isRecent = sql<boolean>`finished_at between now() - ${pauseMs / 1000} * interval '1 second' and now()`
          return not(exists(selectFrom(newest.as('newest')).where(isRecent)))
        }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return claimed?.id
}

/**
 * Records runs without a heartbeat, or with one that a wrong clock has set, as failed.
 * @param job all runs of this job instead, as the caller has the lock of its work
 */
export async function closeDeadJobRuns(db: Db, job?: string): Promise<void> {
  const running = db
    .updateTable('job_runs')
    .set({ status: 'FAILED', finished_at: sql`now()` })
    .set({ error: 'Interrupted: the process ended or stopped responding' })
    .where('status', '=', 'RUNNING')
  const dead = job === undefined ? running.where(isSilent) : running.where('job', '=', job)
  await dead.execute()
}

export async function renewJobRun(db: Db, id: number): Promise<void> {
  const run = db.updateTable('job_runs').where('id', '=', id).where('status', '=', 'RUNNING')
  await run.set({ heartbeat_at: sql`now()` }).execute()
}

/** Ends a run, unless another instance has taken it for dead. */
export async function finishJobRun(db: Db, id: number, error: string | null): Promise<void> {
  const run = db.updateTable('job_runs').where('id', '=', id).where('status', '=', 'RUNNING')
  await run.set({ finished_at: sql`now()`, error, status: error === null ? 'SUCCEEDED' : 'FAILED' }).execute()
}

/** The newest run of each job; one in progress is always the newest. */
export function findLastJobRuns(db: Db): Promise<JobRunRow[]> {
  return db.selectFrom('job_runs').distinctOn('job').selectAll().orderBy('job').orderBy('id', 'desc').execute()
}

export function findRunningJob(db: Db, job: string): Promise<JobRunRow | undefined> {
  const runs = db.selectFrom('job_runs').selectAll().where('job', '=', job)
  return runs.where('status', '=', 'RUNNING').executeTakeFirst()
}

/** Lists the kept runs of a job, the newest first. */
export function listJobRuns(db: Db, job: string): Promise<JobRunRow[]> {
  const runs = db.selectFrom('job_runs').selectAll().where('job', '=', job)
  return runs.orderBy('id', 'desc').limit(MAX_KEPT_RUNS).execute()
}

/** For a process that was paused until another one recorded its run as failed. */
export const takenForDead = () => new Error('Another process has failed this run')

export type RunTable = 'sync_runs' | 'xml_pipeline_runs'

export type RunEnd = { error: string | null; finishedAt: Date }

/**
 * Records that runs have ended.
 * @param ids null: all that are running, whose processes must be dead
 * @returns the ids of the runs
 */
export async function endRuns(
  db: Db,
  table: RunTable,
  ids: number[] | null,
  { error, finishedAt }: RunEnd,
): Promise<number[]> {
  const status = error === null ? 'SUCCEEDED' : 'FAILED'
  const running = db.updateTable(table).set({ status, error, finished_at: finishedAt }).where('status', '=', 'RUNNING')
  const ended = ids === null ? running : running.where('id', '=', sql<number>`any(${ids}::int[])`)
  const rows = await ended.returning('id').execute()
  return rows.map((row) => row.id)
}

/** Whether the end of a run was recorded at this time, which only the process of the run knows. */
export async function hasEnded(db: Db, table: RunTable, id: number, { finishedAt }: RunEnd): Promise<boolean> {
  const run = db.selectFrom(table).select('id').where('id', '=', id).where('finished_at', '=', finishedAt)
  return (await run.executeTakeFirst()) !== undefined
}

export async function renewRun(db: Db, table: RunTable, id: number): Promise<void> {
  const run = db.updateTable(table).where('id', '=', id).where('status', '=', 'RUNNING')
  await run.set({ heartbeat_at: sql`now()` }).execute()
}

/** Whether a run is in progress without a heartbeat, or with one that a wrong clock has set. */
export async function hasSilentRun(db: Db, table: RunTable): Promise<boolean> {
  const running = db.selectFrom(table).select('id').where('status', '=', 'RUNNING')
  return (await running.where(isSilent).limit(1).executeTakeFirst()) !== undefined
}

/** Finds the newest run that is in progress, or whose process has died. */
export function findRunningRun(db: Db, table: RunTable): Promise<{ id: number } | undefined> {
  const runs = db.selectFrom(table).select('id').where('status', '=', 'RUNNING')
  return runs.orderBy('id', 'desc').limit(1).executeTakeFirst()
}
