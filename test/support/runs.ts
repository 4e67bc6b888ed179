import type { Db } from '../../db/database.ts'
import { endRuns, type RunTable } from '../../db/queries/operations/job-runs.ts'
import { failOpenStages } from '../../db/queries/pipeline/runs.ts'

/** Records all running runs as failed, as another process does that takes theirs for dead. */
export function failRuns(db: Db, table: RunTable): Promise<number[]> {
  return db.transaction().execute(async (trx) => {
    const ids = await endRuns(trx, table, null, { error: 'Interrupted: the process ended', finishedAt: new Date() })
    if (table === 'xml_pipeline_runs') await failOpenStages(trx, ids)
    return ids
  })
}
