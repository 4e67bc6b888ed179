import { sql } from 'kysely'
import type { LineOffer } from '../../../src/rules/orders/lines.ts'
import type { Db, Trx } from '../../database.ts'
import { LOCKS } from '../../locks.ts'
import { anyOf, prepared } from '../../prepared.ts'

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
