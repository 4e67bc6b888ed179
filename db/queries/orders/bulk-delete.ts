import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { OrderRow, OrderStatus } from '../../tables/orders.ts'
import { matchOrders } from './lists.ts'

/** Orders placed before a moment, in one state or any. */
export type OldOrders = { until: Date; status?: OrderStatus }

export async function countOldOrders(db: Db, old: OldOrders): Promise<number> {
  const { total } = await db
    .selectFrom('orders')
    .where((eb) => matchOrders(eb, old))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** Locks the next old orders by id until the transaction ends. */
export async function lockOldOrders(
  trx: Trx,
  old: OldOrders,
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await trx
    .selectFrom('orders')
    .where((eb) => matchOrders(eb, old))
    .where('id', '>', after)
    .select('id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

/** Like preventSubmission, for several orders. @returns those that are not being submitted */
export async function preventSubmissions(trx: Trx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${ids}::int[]) id
    where pg_try_advisory_xact_lock_shared(${LOCKS.order}::int, id)`.execute(trx)
  return rows.map(({ id }) => id)
}

/** @returns the deleted orders, sorted by id */
export async function deleteOrders(trx: Trx, ids: number[]): Promise<OrderRow[]> {
  const rows = await trx
    .deleteFrom('orders')
    .where('id', '=', sql<number>`any(${ids}::int[])`)
    .returningAll()
    .execute()
  return rows.sort((a, b) => a.id - b.id)
}
