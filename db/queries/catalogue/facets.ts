import { sql } from 'kysely'
import type { Db } from '../../database.ts'
import { availableQuantity } from '../stock/availability.ts'
import { isShown } from './shown-attributes.ts'

/** What facets need to know of an active product. */
export type FacetRow = {
  id: number
  category_id: number | null
  brand_id: number | null
  final_price: string | null
  available: boolean
  /** Names and values by turns, of the attributes that the card shows. */
  attributes: string[]
}

const columns = sql`
  id, category_id, brand_id, final_price,
  coalesce(final_price > 0 and ${availableQuantity} > 0, false) as available,
  coalesce((
    select array_agg(part order by a.position, a.source, pair.place)
    from product_attributes a, unnest(array[a.name, a.value]) with ordinality pair (part, place)
    where a.product_id = products.id and ${isShown}
  ), '{}') as attributes`

/** The active ones among these products. */
export async function findFacetRows(db: Db, ids: number[]): Promise<FacetRow[]> {
  const { rows } = await sql<FacetRow>`
    select ${columns} from products where active and id = any(${ids}::int[])`.execute(db)
  return rows
}

/** The next active products by id. */
export async function listFacetRows(db: Db, after: number, limit: number): Promise<FacetRow[]> {
  const { rows } = await sql<FacetRow>`
    select ${columns} from products where active and id > ${after} order by id limit ${limit}`.execute(db)
  return rows
}
