import { sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageOf, type PageRequest, readPage } from '../../paging.ts'
import { onlyRow } from '../../prepared.ts'
import {
  PIPELINE_STAGES,
  type PipelineStage,
  type PipelineTables,
  type XmlPipelineRunRow,
  type XmlPipelineStageRow,
} from '../../tables/pipeline.ts'
import { takenForDead } from '../operations/job-runs.ts'

export async function insertRun(db: Db, startedAt: Date, dryRun = false): Promise<XmlPipelineRunRow> {
  const { rows } = await sql<XmlPipelineRunRow>`
    with run as (
      insert into xml_pipeline_runs (status, dry_run, started_at)
      values ('RUNNING', ${dryRun}, ${startedAt}) returning *
    ), stages as (
      insert into xml_pipeline_stages (run_id, stage, status)
      select run.id, stage, 'PENDING' from run, unnest(${[...PIPELINE_STAGES]}::text[]) stage
    )
    select * from run`.execute(db)
  return onlyRow(rows)
}

/** Resets the failed stage of a run. Requires the pipeline's lock. */
export async function reopenRun(db: Db, id: number): Promise<XmlPipelineRunRow> {
  const { rows } = await sql<XmlPipelineRunRow>`
    with stages as (
      update xml_pipeline_stages
      set status = 'PENDING', started_at = null, finished_at = null, counts = '{}', error = null
      where run_id = ${id} and status = 'FAILED'
    )
    update xml_pipeline_runs
    set status = 'RUNNING', attempts = attempts + 1, finished_at = null, error = null
    where id = ${id} returning *`.execute(db)
  return onlyRow(rows)
}

/** Fails the stages that these runs were in when they ended. */
export async function failOpenStages(trx: Trx, runIds: number[]): Promise<void> {
  await sql`
    update xml_pipeline_stages s set status = 'FAILED', error = r.error, finished_at = r.finished_at
    from xml_pipeline_runs r
    where r.id = any(${runIds}::int[]) and s.run_id = r.id and s.status = 'RUNNING'`.execute(trx)
}

/** A run, which keeps its id when it is retried. */
export type RunAttempt = Pick<XmlPipelineRunRow, 'id' | 'attempts'>

/**
 * Locks the row of a run until the transaction ends. Each transaction that writes for a run does so, because a paused
 * process doesn't notice that it lost the pipeline's lock to another one.
 * @throws Error when another process has recorded the attempt as failed
 */
export async function lockRun(trx: Trx, { id, attempts }: RunAttempt): Promise<void> {
  const { rows } = await sql`
    select from xml_pipeline_runs where id = ${id} and attempts = ${attempts} and status = 'RUNNING'
    for no key update`.execute(trx)
  if (rows.length === 0) throw takenForDead()
}

export type DownloadedFeed = { storage_key: string; sha256: string; size: number }

/** Requires lockRun. */
export async function recordDownload(trx: Trx, id: number, download: DownloadedFeed): Promise<void> {
  await trx.updateTable('xml_pipeline_runs').set(download).where('id', '=', id).execute()
}

export type StageValues = Updateable<PipelineTables['xml_pipeline_stages']>

/** @throws as lockRun */
export async function updateStage(trx: Trx, run: RunAttempt, stage: PipelineStage, values: StageValues): Promise<void> {
  await lockRun(trx, run)
  await trx
    .updateTable('xml_pipeline_stages')
    .set(values)
    .where('run_id', '=', run.id)
    .where('stage', '=', stage)
    .execute()
}

/** Newest first. */
export function listRuns(db: Db, page: PageRequest): Promise<PageOf<XmlPipelineRunRow>> {
  return readPage(db.selectFrom('xml_pipeline_runs').selectAll().orderBy('id', 'desc'), page)
}

/** In order of execution. */
export function listStages(db: Db, runIds: number[]): Promise<XmlPipelineStageRow[]> {
  return db
    .selectFrom('xml_pipeline_stages')
    .selectAll()
    .where('run_id', '=', sql<number>`any(${runIds}::int[])`)
    .orderBy(sql`array_position(${[...PIPELINE_STAGES]}::text[], stage)`)
    .execute()
}
