import { type RawBuilder, sql } from 'kysely'
import type { LineOffer } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { anyOf, onlyRow, prepared } from '../../prepared.ts'

/** Stock minus reservations, negative after backorders (contract section 5). For statements that read from `products`. */
export const availableQuantity = sql<number>`(products.stock - coalesce((
  select sum(reserved.quantity) from order_items reserved
  where reserved.product_id = products.id and reserved.holding), 0))`

/** Locks the quantities of products until the transaction ends. Advisory locks, unlike those of rows, don't block the sync. */
export async function lockQuantities(trx: Trx, productIds: number[]): Promise<void> {
  const query = sql`
    select pg_advisory_xact_lock(${LOCKS.product}::int, id)
    from (select distinct id from unnest(${productIds}::int[]) as wanted (id) order by id) ordered`
  await prepared(trx, query)
}

export type OfferRow = LineOffer & {
  slug: string
  /** The main image. */
  image_id: number | null
}

/** What orders, carts and suggestions need of products, by id. */
export async function findOffers(db: Db, productIds: number[]): Promise<Map<number, OfferRow>> {
  const query = sql<OfferRow>`
    select id, external_id, name, slug, active, final_price, ${availableQuantity} as available_quantity, (
      select image_id from product_images i where i.product_id = products.id
      order by i.display_order, i.image_id limit 1) as image_id
    from products where id = ${anyOf(productIds)}`
  const rows = await prepared(db, query)
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Reads offers, and locks their quantities until the transaction ends. Lock the order first and its items last, as
 * all transactions do.
 */
export async function lockOffers(trx: Trx, productIds: number[]): Promise<Map<number, OfferRow>> {
  await lockQuantities(trx, productIds)
  return findOffers(trx, productIds)
}

/** The database's clock, which all instances share: it decides whether stock was read before or after an order was sent. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(db)
  return onlyRow(rows).time
}

/**
 * Reserves or releases the lines of these orders.
 * @param options.manual only those of products that aren't the supplier's, which no sync would release
 * @returns the products of the lines that changed
 */
export async function setReserved(
  trx: Trx,
  orderIds: number[],
  reserved: boolean,
  { manual = false } = {},
): Promise<number[]> {
  const rows = await trx
    .updateTable('order_items')
    .set({ holding: reserved })
    .where('order_id', '=', sql<number>`any(${orderIds}::int[])`)
    .where('holding', '!=', reserved)
    .$if(manual, (query) => query.where('product_external_id', 'is', null))
    .returning('product_id')
    .execute()
  return rows.flatMap(({ product_id }) => product_id ?? [])
}

/**
 * Keeps reserved what orders that the supplier may have received are about to lose, in lines without an order, until the
 * supplier's stock is read (contract section 5, "Availability").
 * @param remaining what remains of each line's quantity
 */
export async function keepSentReserved(trx: Trx, itemIds: number[], remaining = 0): Promise<void> {
  await sql`
    insert into order_items (product_id, product_external_id, product_name, price_at_order, quantity, sent_at)
    select product_id, product_external_id, product_name, price_at_order, quantity - ${remaining}::int, o.sent_at
    from order_items i join orders o on o.id = i.order_id
    where i.id = any(${itemIds}::int[]) and quantity > ${remaining}::int and o.sent_at is not null
      and holding and product_id is not null and product_external_id is not null`.execute(trx)
}

/**
 * Locks orders with reservations that have been NEW for this many hours, skipping orders that the supplier may have
 * received and those locked by someone else.
 */
export async function lockStaleOrders(trx: Trx, hours: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select o.id from orders o, (select now() - ${hours}::int * interval '1 hour' as time) latest
    where o.status = 'NEW' and o.created_at < latest.time and o.sent_at is null
      and exists (select from order_items i where i.order_id = o.id and i.holding)
      and not exists (
        select from order_history h
        where h.order_id = o.id and h.from_status is not null and h.changed_at >= latest.time)
    order by o.id for no key update of o skip locked`.execute(trx)
  return rows.map(({ id }) => id)
}

/** Open orders stay reserved whatever the supplier's stock is. A time in the future was set by a wrong clock. */
const sentBefore = (time: Date) =>
  sql`o.status not in ('NEW', 'PROCESSING', 'ERROR') and o.sent_at not between ${time} and clock_timestamp()`

/**
 * Releases these products' lines that were sent before the supplier's stock was read, since that stock accounts for
 * them (contract section 5, "Availability"). Locked orders are left for the next run.
 * @returns the products of the released lines, but for deleted ones
 */
export async function releaseListed(trx: Trx, externalIds: string[], askedAt: Date): Promise<number[]> {
  const lines = sql<Line>`
    select i.id, i.order_id from products p join order_items i on i.product_id = p.id and i.holding
    where p.external_id = any(${externalIds}::text[])`
  return release(trx, lines, askedAt)
}

/**
 * Does the same at the end of a complete full load for products that it did not list. Excluded are products whose
 * record the run skipped, as their stock is unknown, and products of the shop itself while their order is SENT.
 * @param askedAt when the run requested its first page
 */
export async function releaseUnlisted(trx: Trx, runId: number, askedAt: Date): Promise<number[]> {
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

/** Locks orders before their lines, as every change of an order does; detached lines need no lock. */
async function release(trx: Trx, lines: RawBuilder<Line>, askedAt: Date): Promise<number[]> {
  const query = sql<{ product_id: number | null }>`
    with line as materialized (${lines}), free as materialized (
      select o.id from orders o
      where o.id = any(array(select order_id from line where order_id is not null)) and ${sentBefore(askedAt)}
      for no key update skip locked
    ), detached as (
      delete from order_items
      where id = any(array(select id from line where order_id is null)) and sent_at not between ${askedAt} and clock_timestamp()
      returning product_id
    ), released as (
      update order_items set holding = false
      where id = any(array(select line.id from line join free on free.id = line.order_id)) and holding
      returning product_id
    )
    select product_id from detached union all select product_id from released`
  return (await prepared(trx, query)).flatMap(({ product_id }) => product_id ?? [])
}
