import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import { availableQuantity } from '../stock/availability.ts'
import { isShown } from './shown-attributes.ts'

/** What the index of products in memory knows of one. */
export type IndexedProductRow = {
  id: number
  active: boolean
  category_id: number | null
  brand_id: number | null
  final_price: string | null
  available: boolean
  /** Names and values by turns, of the attributes that the card shows. */
  attributes: string[]
}

const columns = sql`
  id, active, category_id, brand_id, final_price,
  coalesce(final_price > 0 and ${availableQuantity} > 0, false) as available,
  coalesce((
    select array_agg(part order by a.position, a.source, pair.place)
    from product_attributes a, unnest(array[a.name, a.value]) with ordinality pair (part, place)
    where a.product_id = products.id and ${isShown}
  ), '{}') as attributes`

/** These products, in no order. */
export function findIndexedProducts(db: Db, ids: number[]): Promise<IndexedProductRow[]> {
  return prepared(db, sql<IndexedProductRow>`select ${columns} from products where id = any(${ids}::int[])`)
}

/** The next products by id. */
export async function listIndexedProducts(
  db: Db,
  after: number,
  limit: number,
): Promise<IndexedProductRow[]> {
  const { rows } = await sql<IndexedProductRow>`
    select ${columns} from products where id > ${after} order by id limit ${limit}`.execute(db)
  return rows
}
