import type { Db } from '../database.ts'

/** Finds the newest run that is in progress, or whose process has died. */
export function findRunningRun(
  db: Db,
  table: 'sync_runs' | 'xml_pipeline_runs',
): Promise<{ id: number } | undefined> {
  return db
    .selectFrom(table)
    .select('id')
    .where('status', '=', 'RUNNING')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
