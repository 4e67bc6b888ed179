import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { anyOf, statement } from '../../prepared.ts'
import type { ProductsTable } from '../../tables/products.ts'

/**
 * What can still be ordered of a product: the supplier's stock less what orders hold (contract section 5,
 * "Availability"). The one place that says so; for statements that read from `products`. Below zero when more was
 * promised than there is.
 */
export const availableQuantity = sql<number>`(products.stock - coalesce((
  select sum(held.quantity) from order_items held where held.product_id = products.id and held.holding), 0))`

const locking = statement<{ ids: number[] }, unknown>(
  (value) => sql`
    select pg_advisory_xact_lock(${LOCKS.product}::int, id)
    from (select distinct id from unnest(${value('ids')}::int[]) as wanted (id) order by id) ordered`,
)

/**
 * Whoever is about to take quantity of these products does so alone until the transaction ends. In order of id, so
 * that nobody waits in a circle; on no row, so that the sync is never waited for.
 */
export async function lockQuantities(trx: Trx, productIds: number[]): Promise<void> {
  await locking(trx, { ids: productIds })
}

export type OfferRow = Pick<
  Selectable<ProductsTable>,
  'id' | 'external_id' | 'name' | 'active' | 'final_price'
> & { available_quantity: number }

const offersByIds = statement<{ ids: number[] }, OfferRow>(
  (value) => sql`
    select id, external_id, name, active, final_price, ${availableQuantity} as available_quantity
    from products where id = ${anyOf(value('ids'))}`,
)

/** What an order needs to know of products, in no order. */
export function findOffers(db: Db, productIds: number[]): Promise<OfferRow[]> {
  return offersByIds(db, { ids: productIds })
}
