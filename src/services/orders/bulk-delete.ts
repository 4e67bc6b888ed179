import {
  countOldOrders,
  deleteOrders,
  lockOldOrders,
  type OldOrders,
} from '../../../db/queries/orders/bulk-delete.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { writeTransaction } from '../../runtime/write.ts'
import type { BulkDeleted, BulkDeletePreview, BulkDeleteQuery } from '../../schemas/orders.ts'

/** Orders of one transaction: few enough that nobody waits long for their locks. */
const BATCH = 500
const DAY_MS = 86_400_000

/** How many orders a bulk delete would delete, and which: those placed before the moment. */
export async function previewBulkDelete(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  query: BulkDeleteQuery,
): Promise<BulkDeletePreview> {
  const old = oldOrders(query, now())
  return { count: await countOldOrders(db, old), before: old.until.toISOString() }
}

/** Deletes orders placed more than so many days ago, never one that is being submitted (contract section 5). */
export async function bulkDeleteOrders(
  deps: Pick<Deps, 'db' | 'caches' | 'now'>,
  caller: UserRow,
  query: BulkDeleteQuery,
): Promise<BulkDeleted> {
  const old = oldOrders(query, deps.now())
  let deleted = 0
  let last: number | undefined = 0
  while (last !== undefined) {
    const after: number = last
    const batch = await writeTransaction(deps, ['catalogue'], async (trx) => {
      const ids = await lockOldOrders(trx, old, after, BATCH)
      return { last: ids.at(-1), deleted: await deleteOrders(trx, ids, caller) }
    })
    deleted += batch.deleted
    last = batch.last
  }
  return { deleted }
}

function oldOrders({ days, status }: BulkDeleteQuery, now: Date): OldOrders {
  const until = new Date(now.getTime() - days * DAY_MS)
  return status === undefined ? { until } : { until, status }
}
