import { sql } from 'kysely'
import type { StoredAttribute } from '../../../src/rules/catalogue/attributes.ts'
import { MAX_NAME_LENGTH } from '../../../src/rules/catalogue/search.ts'
import type { Db, Trx } from '../../database.ts'
import { readIds } from '../../paging.ts'
import { anyOf, prepared } from '../../prepared.ts'
import { availableQuantity } from '../stock/reservations.ts'
import { storedAttributes } from './products.ts'

/** What the product index stores of a product. */
export type IndexedProductRow = {
  id: number
  external_id: string | null
  /** Its beginning. */
  name: string
  active: boolean
  category_id: number | null
  brand_id: number | null
  /** In minor units, above 0; null: none. */
  price: number | null
  available: boolean
  stock: number
  /** Seconds. */
  created_at: number
  /** Units ordered lately. */
  sold: number
  attributes: StoredAttribute[]
}

const columns = sql`
  id, external_id, left(name, ${MAX_NAME_LENGTH}::int) as name, active, category_id, brand_id, (100 * nullif(final_price, 0))::float8 as price,
  coalesce(active and final_price > 0 and ${availableQuantity} > 0, false) as available,
  stock, extract(epoch from created_at)::float8 as created_at,
  coalesce((select s.quantity from product_sales s where s.product_id = products.id), 0) as sold,
  ${storedAttributes}`

/** Ordered by id. */
export function findIndexedProducts(db: Db, ids: number[]): Promise<IndexedProductRow[]> {
  const query = sql<IndexedProductRow>`select ${columns} from products where id = ${anyOf(ids)} order by id`
  return prepared(db, query)
}

export function listProductIds(db: Db): Promise<number[]> {
  return readIds(db, sql`select id from products order by id`)
}

/** The ids of all products in the order of their names. */
export function listIdsByName(db: Db): Promise<number[]> {
  return readIds(db, sql`select id from products order by search_name collate "ru-x-icu", id`)
}

/** The stem of each word, which its grammatical forms share; '' where it has none (contract section 4, "search"). */
export async function findStems(db: Db, words: string[]): Promise<Map<string, string>> {
  if (words.length === 0) return new Map()
  const query = sql<{ word: string; stem: string }>`
    select word, array_to_string(tsvector_to_array(to_tsvector('search', word)), ' ') as stem
    from unnest(${words}::text[]) word`
  const rows = await prepared(db, query)
  return new Map(rows.map(({ word, stem }) => [word, stem]))
}

/** Counts the units of each product ordered in the last `days`, at most an int. @returns the products whose count changed */
export async function countSales(trx: Trx, days: number): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    with sold as (
      select i.product_id, least(sum(i.quantity), 2147483647)::int as quantity
      from orders o join order_items i on i.order_id = o.id
      where o.created_at > now() - ${days}::int * interval '1 day' and o.status <> 'CANCELLED'
        and i.product_id is not null
      group by i.product_id
    ), removed as (
      delete from product_sales s where not exists (select from sold where sold.product_id = s.product_id)
      returning product_id
    ), changed as (
      insert into product_sales as s (product_id, quantity) select product_id, quantity from sold
      on conflict (product_id) do update set quantity = excluded.quantity
      where s.quantity <> excluded.quantity
      returning product_id
    )
    select product_id from removed union all select product_id from changed`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}
