import { Cron } from 'croner'
import { deleteExpired } from '../../../db/queries/operations/expired.ts'
import { insertMissingFlags } from '../../../db/queries/operations/job-flags.ts'
import * as runs from '../../../db/queries/operations/job-runs.ts'
import type { JobRunRow } from '../../../db/tables/operations.ts'
import type { Deps, Job } from '../../deps.ts'
import { AppError, conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import { describeSetting, type SettingValues } from '../../rules/settings/keys.ts'
import { startTask } from '../../runtime/concurrency/tasks.ts'
import { write } from '../../runtime/write.ts'
import type * as wire from '../../schemas/jobs.ts'
import type { StartedRun } from '../../schemas/runs.ts'
import { describeFailure, durationOf, recordJobRun } from '../runs.ts'
import { freshSetting, settingValues, updateSetting } from '../settings/settings.ts'

/** Lists all jobs, as all instances see them (docs/operations.md). */
export async function listJobs(deps: Deps): Promise<wire.Job[]> {
  await runs.closeDeadJobRuns(deps.db)
  const settings = await settingValues(deps)
  const lastRuns = await runs.findLastJobRuns(deps.db)
  return deps.jobs.map((job) => {
    const lastRun = lastRuns.find((run) => run.job === job.name)
    return toJob(deps, job, settings, lastRun)
  })
}

/** Lists the last runs of a job, the newest first. @throws AppError 404 */
export async function listJobRuns(deps: Deps, name: string): Promise<wire.JobRun[]> {
  const job = findJob(deps.jobs, name)
  await runs.closeDeadJobRuns(deps.db)
  return (await runs.listJobRuns(deps.db, job.name)).map(toRun)
}

/** Starts a job in the background, also when its schedule is off. @throws AppError 404; 409 JOB_RUNNING */
export async function startJob(deps: Deps, actor: Actor, name: string): Promise<StartedRun> {
  const job = findJob(deps.jobs, name)
  const started = await begin(deps, job, null, 0)
  if (started !== null) {
    const runId = started.jobRunId
    await write(deps, async (tx) => tx.audit({ actor, entity: 'JOB', entityId: name, before: null, after: { runId } }))
    return { runId, status: 'RUNNING' }
  }
  const running = await runs.findRunningJob(deps.db, name)
  const where = running ? `in progress on ${running.instance}` : 'just starting or ending'
  const body = running ? { runId: running.id, instance: running.instance } : {}
  throw conflict('JOB_RUNNING', `A run of ${name} is ${where}`, { body })
}

/** Switches a schedule on or off, on every instance at once. @throws AppError 404 */
export async function updateJob(deps: Deps, actor: Actor, name: string, { enabled }: wire.JobChange) {
  const job = findJob(deps.jobs, name)
  await updateSetting(deps, actor, { id: job.flag }, { value: String(enabled) })
  return findJob(await listJobs(deps), name)
}

/** Inserts the settings of new jobs, so that staff can switch them. */
export async function insertJobFlags(deps: Deps): Promise<void> {
  const flags = deps.jobs.map(({ name, flag }) => ({
    key: flag,
    value: describeSetting(flag).default ?? '',
    description: `Whether the job ${name} runs on its schedule`,
  }))
  await write(deps, async (tx) => tx.recordChange('setting', await insertMissingFlags(tx.db, flags)))
}

/**
 * Runs a job that is due, unless it is switched off, or another instance runs it. Never rejects.
 * @param dueAt the time of the schedule; null for a job with pauses
 */
export async function runDueJob(deps: Deps, job: Job, dueAt: Date | null): Promise<void> {
  try {
    if (!isEnabled(job, await freshSetting(deps, job.flag))) return
    // The clocks of instances differ a little.
    const pauseMs = 'pauseMs' in job.schedule ? job.schedule.pauseMs * 0.9 : 0
    const started = await begin(deps, job, dueAt, pauseMs)
    await started?.finished
  } catch (err) {
    deps.log.error({ err, job: job.name }, 'job not started')
  }
}

/** Deletes what has no effect any more, and what has been kept long enough. */
export const purge = ({ db }: Pick<Deps, 'db'>) => deleteExpired(db)

/** @returns null when the job is running, ran for this time, or ended less than `pauseMs` ago @throws AppError 503 when stopping */
async function begin(deps: Deps, job: Job, dueAt: Date | null, pauseMs: number) {
  if ('start' in job) {
    return job.start(deps, dueAt).catch((error: unknown) => {
      if (error instanceof AppError && error.status === 409) return null
      throw error
    })
  }
  // Claimed in the task, so that nothing begins once the shop stops.
  const { begun, finished } = await startTask<number | null>(deps.tasks, async (signal, begin) => {
    const done = await recordJobRun(deps, job.name, { dueAt, pauseMs, signal }, async (id) => {
      begin(id)
      return { error: await run(deps, job, signal) }
    })
    if (done === null) begin(null)
  })
  return begun === null ? null : { jobRunId: begun, finished }
}

/** @returns why it failed; null: it succeeded */
async function run(deps: Deps, job: Extract<Job, { run: unknown }>, signal: AbortSignal): Promise<string | null> {
  try {
    await job.run(deps)
    return null
  } catch (err) {
    const error = describeFailure(err, signal)
    if (signal.aborted) deps.log.warn({ job: job.name, error }, 'job interrupted')
    else deps.log.error({ err, job: job.name }, 'job failed')
    return error
  }
}

function findJob<T extends { name: string }>(jobs: readonly T[], name: string): T {
  const job = jobs.find((one) => one.name === name)
  return found(job, 'job')
}

/** Time of the next run of a schedule in UTC. */
export function nextCronRun(pattern: string): Date | null {
  return new Cron(pattern, { timezone: 'UTC', paused: true }).nextRun()
}

function isEnabled(job: Job, setting: string): boolean {
  return setting === '' ? (job.enabledByDefault ?? true) : setting === 'true'
}

function toJob({ now }: Deps, job: Job, settings: SettingValues, lastRun: JobRunRow | undefined): wire.Job {
  const { name, description, schedule } = job
  const enabled = isEnabled(job, settings[job.flag])
  const running = lastRun?.status === 'RUNNING'
  function nextRun(): Date | null {
    if (!enabled) return null
    if ('cron' in schedule) return nextCronRun(schedule.cron)
    if (running) return null
    const dueAt = (lastRun?.finished_at?.getTime() ?? 0) + schedule.pauseMs
    return new Date(Math.max(dueAt, now().getTime()))
  }
  return {
    name,
    description,
    schedule: 'cron' in schedule ? schedule.cron : `${schedule.pauseMs / 1000} s after each run`,
    enabled,
    running,
    instance: running ? lastRun.instance : null,
    nextRunAt: nextRun()?.toISOString() ?? null,
    lastRun: lastRun ? toRun(lastRun) : null,
  }
}

function toRun(row: JobRunRow): wire.JobRun {
  return {
    id: row.id,
    status: row.status,
    startedAt: row.started_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    durationMs: durationOf(row),
    error: row.error,
    instance: row.instance,
  }
}
