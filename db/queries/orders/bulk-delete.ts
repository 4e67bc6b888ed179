import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import type { OrderStatus } from '../../tables/orders.ts'
import { matchOrders } from './lists.ts'

/** Orders placed before a moment, of one status or of all. */
export type OldOrders = { until: Date; status?: OrderStatus }

export async function countOldOrders(db: Db, old: OldOrders): Promise<number> {
  const { total } = await db
    .selectFrom('orders')
    .where((eb) => matchOrders(eb, old))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

/** The next old orders by id, locked until the transaction ends. */
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

/**
 * Deletes locked orders, except those being submitted to the supplier, and writes each into the audit log.
 * @returns how many were deleted
 */
export async function deleteOrders(
  trx: Trx,
  ids: number[],
  actor: { id: number; email: string },
): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from orders
      where id = any(${ids}::int[]) and pg_try_advisory_xact_lock_shared(${LOCKS.order}::int, id)
      returning *
    ), logged as (
      insert into audit_log (actor_id, actor_email, entity, entity_id, action, before)
      select ${actor.id}, ${actor.email}, 'ORDER', id::text, 'DELETE', jsonb_build_object('number', number,
        'status', status, 'customerName', customer_name, 'customerPhone', customer_phone, 'externalId', external_id,
        'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from gone order by id
    )
    select count(*) as deleted from gone`.execute(trx)
  return rows[0]?.deleted ?? 0
}
