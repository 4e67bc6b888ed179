import { sql, type Updateable } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type PageRequest, readPage } from '../../paging.ts'
import {
  PIPELINE_STAGES,
  type PipelineStage,
  type PipelineTables,
  type XmlPipelineRunRow,
} from '../../tables/pipeline.ts'
import { takenForDead } from '../operations/job-runs.ts'

export function insertRun(db: Db, startedAt: Date, dryRun = false) {
  return db
    .with('run', (db) =>
      db
        .insertInto('xml_pipeline_runs')
        .values({ status: 'RUNNING', dry_run: dryRun, started_at: startedAt })
        .returningAll(),
    )
    .with('stages', (db) =>
      db
        .insertInto('xml_pipeline_stages')
        .columns(['run_id', 'stage', 'status'])
        .expression(
          db
            .selectFrom(['run', sql`unnest(${[...PIPELINE_STAGES]}::text[])`.as<'stages'>(sql`stages(stage)`)])
            .select(({ val }) => ['run.id', sql.ref('stage').as('stage'), val('PENDING').as('status')]),
        ),
    )
    .selectFrom('run')
    .selectAll()
    .executeTakeFirstOrThrow()
}

/** Resets the failed stage of a run. Requires the pipeline's lock. */
export function reopenRun(db: Db, id: number) {
  return db
    .with('stages', (db) =>
      db
        .updateTable('xml_pipeline_stages')
        .set({ status: 'PENDING', started_at: null, finished_at: null, counts: '{}', error: null })
        .where('run_id', '=', id)
        .where('status', '=', 'FAILED'),
    )
    .updateTable('xml_pipeline_runs')
    .set(({ eb }) => ({ status: 'RUNNING', attempts: eb('attempts', '+', 1), finished_at: null, error: null }))
    .set({ heartbeat_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Fails the stages that these runs were in when they ended. */
export async function failOpenStages(trx: Trx, runIds: number[]): Promise<void> {
  await trx
    .updateTable('xml_pipeline_stages as s')
    .from('xml_pipeline_runs as r')
    .set(({ ref }) => ({ status: 'FAILED', error: ref('r.error'), finished_at: ref('r.finished_at') }))
    .where('r.id', '=', sql<number>`any(${runIds}::int[])`)
    .whereRef('s.run_id', '=', 'r.id')
    .where('s.status', '=', 'RUNNING')
    .execute()
}

/** A run, which keeps its id when it is retried. */
export type RunAttempt = Pick<XmlPipelineRunRow, 'id' | 'attempts'>

/**
 * Locks the row of a run until the transaction ends. Each transaction that writes for a run does so, because a paused
 * process doesn't notice that it lost the pipeline's lock to another one.
 * @throws Error when another process has recorded the attempt as failed
 */
export async function lockRun(trx: Trx, { id, attempts }: RunAttempt): Promise<void> {
  const run = await trx
    .selectFrom('xml_pipeline_runs')
    .select('id')
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .where('status', '=', 'RUNNING')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (run === undefined) throw takenForDead()
}

/** Lists the runs in progress that have done all their stages. */
export async function listDoneRuns(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('xml_pipeline_runs as r')
    .select('r.id')
    .where('r.status', '=', 'RUNNING')
    .where(({ exists, not, selectFrom }) => {
      const stages = selectFrom('xml_pipeline_stages as s').select('s.stage').whereRef('s.run_id', '=', 'r.id')
      return not(exists(stages.where('s.status', '<>', 'SUCCEEDED')))
    })
    .execute()
  return rows.map(({ id }) => id)
}

export type SupplierFeedDownload = { storage_key: string; sha256: string; size: number; content_type?: string }

/** Requires lockRun. */
export async function recordDownload(trx: Trx, id: number, download: SupplierFeedDownload): Promise<void> {
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
export function listRuns(db: Db, page: PageRequest) {
  return readPage(db.selectFrom('xml_pipeline_runs').selectAll().orderBy('id', 'desc'), page)
}

export function findRun(db: Db, id: number): Promise<XmlPipelineRunRow | undefined> {
  return db.selectFrom('xml_pipeline_runs').selectAll().where('id', '=', id).executeTakeFirst()
}

/** In order of execution. */
export function listStages(db: Db, runIds: number[]) {
  return db
    .selectFrom('xml_pipeline_stages')
    .selectAll()
    .where('run_id', '=', sql<number>`any(${runIds}::int[])`)
    .orderBy(sql`array_position(${[...PIPELINE_STAGES]}::text[], stage)`)
    .execute()
}
