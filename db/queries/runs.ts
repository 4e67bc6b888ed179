import type { Db } from '../database.ts'

/** Why a run failed whose process died. */
export const INTERRUPTED = 'Interrupted: the process ended'

/** For a process that was paused until another one recorded its run as failed. */
export const takenForDead = () => new Error('Another process has failed this run')

/** Finds the newest run that is in progress, or whose process has died. */
export function findRunningRun(db: Db, table: 'sync_runs' | 'xml_pipeline_runs'): Promise<{ id: number } | undefined> {
  return db
    .selectFrom(table)
    .select('id')
    .where('status', '=', 'RUNNING')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
