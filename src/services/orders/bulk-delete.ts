import {
  countOldOrders,
  deleteOrders,
  lockOldOrders,
  type OldOrders,
  preventSubmissions,
} from '../../../db/queries/orders/bulk-delete.ts'
import { listItems } from '../../../db/queries/orders/items.ts'
import { detachSentLines } from '../../../db/queries/stock/reservations.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import type { BulkDeleted, BulkDeletePreview, BulkDeleteQuery } from '../../schemas/orders.ts'
import { recordDeletion } from './editing.ts'

/** Orders of one transaction; limits how long their locks delay others. */
const BATCH_SIZE = 500
const DAY_MS = 86_400_000

/** Counts the orders that a bulk delete would delete. */
export async function previewBulkDelete(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  query: BulkDeleteQuery,
): Promise<BulkDeletePreview> {
  const old = oldOrders(query, now())
  return { count: await countOldOrders(db, old), before: old.until.toISOString() }
}

/** Deletes orders older than `days`, except those being submitted (contract section 5). */
export async function bulkDeleteOrders(
  deps: Pick<Deps, 'db' | 'changes' | 'now'>,
  caller: UserRow,
  query: BulkDeleteQuery,
): Promise<BulkDeleted> {
  const old = oldOrders(query, deps.now())
  let deleted = 0
  let last: number | undefined = 0
  while (last !== undefined) {
    const after: number = last
    const batch = await write(deps, async (tx) => {
      const ids = await lockOldOrders(tx.db, old, after, BATCH_SIZE)
      return { last: ids.at(-1), deleted: await deleteBatch(tx, ids, caller) }
    })
    deleted += batch.deleted
    last = batch.last
  }
  return { deleted }
}

async function deleteBatch(tx: UnitOfWork, old: number[], caller: UserRow): Promise<number> {
  const ids = await preventSubmissions(tx.db, old)
  const items = Map.groupBy(await listItems(tx.db, ids), ({ order_id }) => order_id)
  await detachSentLines(tx.db, { orderIds: ids })
  const rows = await deleteOrders(tx.db, ids)
  for (const row of rows) recordDeletion(tx, caller, row, items.get(row.id) ?? [])
  return rows.length
}

function oldOrders({ days, status }: BulkDeleteQuery, now: Date): OldOrders {
  const until = new Date(now.getTime() - days * DAY_MS)
  return status === undefined ? { until } : { until, status }
}
