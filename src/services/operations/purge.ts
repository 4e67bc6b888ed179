import { DELETIONS } from '../../../db/queries/operations/expired.ts'
import type { Deps } from '../../deps.ts'

/**
 * Deletes what has no effect any more, and what has been kept long enough.
 * @throws AggregateError when some of it could not be deleted; the rest was
 */
export async function purge({ db }: Deps): Promise<void> {
  const failures: unknown[] = []
  for (const deletion of DELETIONS) await deletion(db).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new AggregateError(failures, 'Old records could not be deleted')
}
