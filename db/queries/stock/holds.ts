import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'

/** The clock by which it is decided what was read before and what after an order was sent: the same for all instances. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(db)
  const time = rows[0]?.time
  if (time === undefined) throw new Error('The database does not tell the time')
  return time
}

/** Makes all lines of an order hold their quantities, or none. @returns the products of the lines that did otherwise */
export async function setHolding(trx: Trx, orderId: number, holding: boolean): Promise<number[]> {
  const rows = await trx
    .updateTable('order_items')
    .set({ holding })
    .where('order_id', '=', orderId)
    .where('holding', '!=', holding)
    .returning('product_id')
    .execute()
  return rows.flatMap(({ product_id }) => product_id ?? [])
}

/** Orders that the supplier may have, and that are not open (again): those hold whatever his stock. */
const sentBefore = (time: Date) => sql`o.status not in ('NEW', 'PROCESSING', 'ERROR') and o.sent_at < ${time}`

/**
 * Lets go of what orders hold of these products if they were sent before the supplier was asked for its stock: that
 * figure knows of them (contract section 5, "Availability"). An order that somebody is just changing is left for the
 * next time, so that the sync waits for nobody.
 * @returns the product of each line that holds no more, null for one that was deleted
 */
export async function releaseRead(trx: Trx, externalIds: string[], askedAt: Date): Promise<Released> {
  const lines = sql<Line>`
    select i.id, i.order_id from products p join order_items i on i.product_id = p.id and i.holding
    where p.external_id = any(${externalIds}::text[])`
  return release(trx, lines, askedAt)
}

/**
 * The same for all products at the end of a run: of what it did not list, the stock has not changed. Two kinds of
 * lines go on holding: of a product whose record was skipped since, because its stock is not known, and, while the
 * order is only SENT, of a product made by hand, whose stock no sync reads.
 * @param askedAt when the run asked for its first page
 */
export async function releaseUnlisted(trx: Trx, askedAt: Date): Promise<Released> {
  const lines = sql<Line>`
    select i.id, i.order_id from order_items i join orders o on o.id = i.order_id
    where i.holding and ${sentBefore(askedAt)}
      and (i.product_external_id is not null or o.status <> 'SENT')
      and not exists (
        select from sync_skipped_records s join sync_runs r on r.id = s.run_id
        where s.sync_type = 'PRODUCTS' and s.external_id = i.product_external_id
          and coalesce(r.finished_at, 'infinity') > o.sent_at)`
  return release(trx, lines, askedAt)
}

type Line = { id: number; order_id: number }
type Released = (number | null)[]

/** The orders first, as everybody who changes an order does, and then only the lines of those that were free. */
async function release(trx: Trx, lines: RawBuilder<Line>, askedAt: Date): Promise<Released> {
  const { rows: orders } = await sql<{ id: number }>`
    select o.id from orders o
    where o.id in (select order_id from (${lines}) line) and ${sentBefore(askedAt)}
    for no key update skip locked`.execute(trx)
  if (orders.length === 0) return []
  const { rows } = await sql<{ product_id: number | null }>`
    update order_items set holding = false
    where id in (
      select id from (${lines}) line where order_id = any(${orders.map(({ id }) => id)}::int[]))
    returning product_id`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}
