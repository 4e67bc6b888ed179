import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import type { JobRunRow } from '../../tables/operations.ts'

const LEASE_S = 60
export const HEARTBEAT_MS = (LEASE_S * 1000) / 4
export const MAX_KEPT_RUNS = 100

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
  await sql`
    update job_runs run set due_at = null
    where job = ${job} and due_at = ${dueAt}::timestamptz and exists (
      select from job_runs later where later.job = run.job and later.id > run.id
        and later.started_at not between run.started_at - interval '10 minutes' and run.started_at + interval '10 minutes'
    )`.execute(db)
  const { rows } = await sql<{ id: number }>`
    insert into job_runs (job, instance, due_at)
    select ${job}, ${instance}, ${dueAt}::timestamptz
    where not exists (
      select from (select finished_at from job_runs where job = ${job} order by id desc limit 1) newest
      where finished_at between now() - ${pauseMs / 1000} * interval '1 second' and now()
    )
    on conflict do nothing
    returning id`.execute(db)
  return rows[0]?.id
}

/**
 * Records runs without a heartbeat, or with one that a wrong clock has set, as failed.
 * @param job all runs of this job instead, as the caller has the lock of its work
 */
export async function closeDeadJobRuns(db: Db, job?: string): Promise<void> {
  const isDead = job === undefined ? sql`abs(extract(epoch from now() - heartbeat_at)) > ${LEASE_S}` : sql`job = ${job}`
  await sql`
    update job_runs set status = 'FAILED', finished_at = now(),
      error = 'Interrupted: the process ended or stopped responding'
    where status = 'RUNNING' and ${isDead}`.execute(db)
}

export async function renewJobRun(db: Db, id: number): Promise<void> {
  await sql`update job_runs set heartbeat_at = now() where id = ${id} and status = 'RUNNING'`.execute(db)
}

/** Ends a run, unless another instance has taken it for dead. */
export async function finishJobRun(db: Db, id: number, error: string | null): Promise<void> {
  await sql`
    update job_runs set finished_at = now(), error = ${error}, status = ${error === null ? 'SUCCEEDED' : 'FAILED'}
    where id = ${id} and status = 'RUNNING'`.execute(db)
}

/** The newest run of each job; one in progress is always the newest. */
export async function findLastJobRuns(db: Db): Promise<JobRunRow[]> {
  const { rows } = await sql<JobRunRow>`
    select distinct on (job) * from job_runs order by job, id desc`.execute(db)
  return rows
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

/**
 * Records that a run has ended.
 * @param id null: all that are running, whose processes must be dead
 * @returns the ids of the runs
 */
export async function endRuns(
  db: Db,
  table: RunTable,
  id: number | null,
  { error, finishedAt }: { error: string | null; finishedAt: Date },
): Promise<number[]> {
  const status = error === null ? 'SUCCEEDED' : 'FAILED'
  const { rows } = await sql<{ id: number }>`
    update ${sql.table(table)} set status = ${status}, error = ${error}, finished_at = ${finishedAt}
    where status = 'RUNNING' and id = coalesce(${id}::int, id) returning id`.execute(db)
  return rows.map((row) => row.id)
}

/** Finds the newest run that is in progress, or whose process has died. */
export function findRunningRun(db: Db, table: RunTable): Promise<{ id: number } | undefined> {
  const runs = db.selectFrom(table).select('id').where('status', '=', 'RUNNING')
  return runs.orderBy('id', 'desc').limit(1).executeTakeFirst()
}
