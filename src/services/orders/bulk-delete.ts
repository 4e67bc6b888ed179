import { countOrders, lockNextOrders, type OrderFilter } from '../../../db/queries/orders/lists.ts'
import { preventSubmissions } from '../../../db/queries/orders/orders.ts'
import type { Deps } from '../../deps.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { write } from '../../runtime/write.ts'
import type { BulkDeleted, BulkDeletePreview, BulkDeleteQuery } from '../../schemas/orders.ts'
import { deleteLockedOrders } from './editing.ts'

/** Orders of one transaction; limits how long their locks delay others. */
const BATCH_SIZE = 500
const DAY_MS = 86_400_000

/** Counts the orders that a bulk delete would delete. */
export async function previewBulkDelete(
  { db, now }: Deps,
  query: BulkDeleteQuery,
): Promise<BulkDeletePreview> {
  const filter = toFilter(query, now())
  return { count: await countOrders(db, filter), before: filter.until.toISOString() }
}

/** Deletes orders older than `days`, except those being submitted (contract section 5). */
export async function bulkDeleteOrders(
  deps: Deps,
  caller: Actor,
  query: BulkDeleteQuery,
): Promise<BulkDeleted> {
  const filter = toFilter(query, deps.now())
  let deleted = 0
  let lastId: number | undefined = 0
  while (lastId !== undefined) {
    const afterId: number = lastId
    const batch = await write(deps, async (tx) => {
      const ids = await lockNextOrders(tx.db, filter, afterId, BATCH_SIZE)
      const count = await deleteLockedOrders(tx, caller, await preventSubmissions(tx.db, ids))
      return { lastId: ids.at(-1), count }
    })
    deleted += batch.count
    lastId = batch.lastId
  }
  return { deleted }
}

function toFilter({ days, status }: BulkDeleteQuery, now: Date): OrderFilter & { until: Date } {
  const until = new Date(now.getTime() - days * DAY_MS)
  return status === undefined ? { until } : { until, statuses: [status] }
}
