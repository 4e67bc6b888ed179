import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { anyOf, statement } from '../../prepared.ts'
import type { ProductsTable } from '../../tables/products.ts'

/**
 * Stock minus reservations (contract section 5, "Availability"), for statements that read from `products`. Negative
 * after backorders.
 */
export const availableQuantity = sql<number>`(products.stock - coalesce((
  select sum(reserved.quantity) from order_items reserved
  where reserved.product_id = products.id and reserved.holding), 0))`

const lockProducts = statement<{ ids: number[] }, unknown>(
  (value) => sql`
    select pg_advisory_xact_lock(${LOCKS.product}::int, id)
    from (select distinct id from unnest(${value('ids')}::int[]) as wanted (id) order by id) ordered`,
)

/**
 * Serialises reservations of these products until the transaction ends: by id, which prevents deadlocks, and by
 * advisory locks, which don't block the sync.
 */
export async function lockQuantities(trx: Trx, productIds: number[]): Promise<void> {
  await lockProducts(trx, { ids: productIds })
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

export type SummaryRow = OfferRow & Pick<Selectable<ProductsTable>, 'slug'> & { image_id: number | null }

const summariesByIds = statement<{ ids: number[] }, SummaryRow>(
  (value) => sql`
    select id, external_id, name, slug, active, final_price, ${availableQuantity} as available_quantity, (
      select image_id from product_images i where i.product_id = products.id
      order by i.display_order, i.image_id limit 1) as image_id
    from products where id = ${anyOf(value('ids'))}`,
)

/** Finds what carts and suggestions show of products, in no particular order. */
export async function findSummaries(db: Db, productIds: number[]): Promise<Map<number, SummaryRow>> {
  const rows = await summariesByIds(db, { ids: productIds })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds price and availability of products, in no particular order. */
export function findOffers(db: Db, productIds: number[]): Promise<OfferRow[]> {
  return offersByIds(db, { ids: productIds })
}
