import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'

/** The clock by which it is decided what was read before and what after an order was sent: the same for all instances. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(db)
  const time = rows[0]?.time
  if (time === undefined) throw new Error('The database does not tell the time')
  return time
}

/** Makes all lines of these orders hold their quantities, or none. @returns the products of the lines that did otherwise */
export async function setHolding(trx: Trx, orderIds: number[], holding: boolean): Promise<number[]> {
  const rows = await trx
    .updateTable('order_items')
    .set({ holding })
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .where('holding', '!=', holding)
    .returning('product_id')
    .execute()
  return rows.flatMap(({ product_id }) => product_id ?? [])
}

/** Lets go of an order's lines of products made by hand: no supplier was sent them. @returns their products */
export async function releaseHandMade(trx: Trx, orderId: number): Promise<number[]> {
  const rows = await trx
    .updateTable('order_items')
    .set({ holding: false })
    .where('order_id', '=', orderId)
    .where('product_external_id', 'is', null)
    .where('holding', '=', true)
    .returning('product_id')
    .execute()
  return rows.flatMap(({ product_id }) => product_id ?? [])
}

/**
 * Takes lines that hold out of orders that the supplier may have been sent: whatever becomes of the order then, they
 * go on holding until they are read.
 * @param lines all of some orders, or one
 */
export async function detachSent(
  trx: Trx,
  lines: { orderIds: number[] } | { itemId: number },
): Promise<void> {
  const chosen =
    'itemId' in lines ? sql`i.id = ${lines.itemId}::int` : sql`i.order_id = any(${lines.orderIds}::int[])`
  await sql`
    update order_items i set order_id = null, sent_at = o.sent_at
    from orders o
    where o.id = i.order_id and ${chosen} and o.sent_at is not null
      and i.holding and i.product_id is not null and i.product_external_id is not null`.execute(trx)
}

/**
 * Orders that hold though they have been NEW for so long without anybody's taking them up, locked until the transaction
 * ends. One that the supplier may have been sent was taken up; one that somebody is just changing is left out.
 */
export async function lockIdleOrders(trx: Trx, hours: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from orders o, (select now() - ${hours}::int * interval '1 hour' as time) latest
    where o.status = 'NEW' and o.created_at < latest.time and o.sent_at is null
      and exists (select from order_items i where i.order_id = o.id and i.holding)
      and not exists (
        select from order_history h
        where h.order_id = o.id and h.from_status is not null and h.changed_at >= latest.time)
    order by o.created_at, o.id limit ${limit} for no key update of o skip locked`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Orders that the supplier may have, and that are not open (again): those hold whatever his stock. */
const sentBefore = (time: Date) => sql`o.status not in ('NEW', 'PROCESSING', 'ERROR') and o.sent_at < ${time}`

/**
 * Lets go of what is held of these products if it was sent before the supplier was asked for its stock: that figure
 * knows of it (contract section 5, "Availability"). An order that somebody is just changing is left for the next time,
 * so that the sync waits for nobody.
 * @returns the product of each line that holds no more, null for one that was deleted
 */
export async function releaseRead(trx: Trx, externalIds: string[], askedAt: Date): Promise<Released> {
  const lines = sql<Line>`
    select i.id, i.order_id from products p join order_items i on i.product_id = p.id and i.holding
    where p.external_id = any(${externalIds}::text[])`
  return release(trx, lines, askedAt)
}

/**
 * The same at the end of a full load that read everything, for what it did not list: the supplier has no more of it.
 * Two kinds of lines go on holding: of a product whose record the run skipped, because its stock is not known, and,
 * while the order is only SENT, of a product made by hand, whose stock no sync reads.
 * @param askedAt when the run asked for its first page
 */
export async function releaseUnlisted(trx: Trx, runId: number, askedAt: Date): Promise<Released> {
  const lines = sql<Line>`
    select i.id, i.order_id from order_items i left join orders o on o.id = i.order_id
    where i.holding and (i.order_id is null or ${sentBefore(askedAt)})
      and (i.product_external_id is not null or o.status <> 'SENT')
      and not exists (
        select from sync_skipped_records s
        where s.run_id = ${runId}::int and s.sync_type = 'PRODUCTS' and s.external_id = i.product_external_id)`
  return release(trx, lines, askedAt)
}

type Line = { id: number; order_id: number | null }
type Released = (number | null)[]

/**
 * The orders first, as everybody who changes an order does, and then only the lines of those that were free. Lines
 * without an order are nobody else's.
 */
async function release(trx: Trx, lines: RawBuilder<Line>, askedAt: Date): Promise<Released> {
  const { rows: first } = await sql<{ order_id: number | null; product_id: number | null }>`
    with line as materialized (${lines}), detached as (
      delete from order_items
      where id = any(array(select id from line where order_id is null)) and sent_at < ${askedAt}
      returning product_id
    ), free as (
      select o.id from orders o
      where o.id = any(array(select order_id from line where order_id is not null)) and ${sentBefore(askedAt)}
      for no key update skip locked
    )
    select null::int as order_id, product_id from detached
    union all select id, null from free`.execute(trx)
  const orderIds = first.flatMap(({ order_id }) => order_id ?? [])
  const detached = first.flatMap((row) => (row.order_id === null ? [row.product_id] : []))
  if (orderIds.length === 0) return detached
  const { rows } = await sql<{ product_id: number | null }>`
    update order_items set holding = false
    where id in (select id from (${lines}) line where order_id = any(${orderIds}::int[]))
    returning product_id`.execute(trx)
  return [...detached, ...rows.map(({ product_id }) => product_id)]
}
