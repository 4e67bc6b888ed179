import { sql } from 'kysely'
import { MAX_NAME_LENGTH } from '../../../src/rules/catalogue/search.ts'
import type { Db, Trx } from '../../database.ts'
import { readIds } from '../../paging.ts'
import { anyOf, prepared } from '../../prepared.ts'
import { availableQuantity } from '../stock/reservations.ts'
import { storedAttributes } from './products.ts'

/**
 * What the product index stores of a product: the beginning of its `name`; its `price` in minor units, above 0, or null;
 * `created_at` in seconds; `sold`, the units ordered lately.
 */
export type IndexedProductRow = Awaited<ReturnType<typeof findIndexedProducts>>[number]

/** Ordered by id. */
export function findIndexedProducts(db: Db, ids: number[]) {
  const query = db
    .selectFrom('products')
    .select(['id', 'external_id', 'active', 'category_id', 'brand_id', 'stock'])
    .select((eb) => {
      const sold = eb.selectFrom('product_sales').select('quantity').whereRef('product_id', '=', 'products.id')
      return [
        sql<string>`left(name, ${eb.lit(MAX_NAME_LENGTH)})`.as('name'),
        sql<number | null>`(100 * nullif(final_price, 0))::float8`.as('price'),
        sql<boolean>`coalesce(active and final_price > 0 and ${availableQuantity} > 0, false)`.as('available'),
        sql<number>`extract(epoch from created_at)::float8`.as('created_at'),
        eb.fn.coalesce(sold, eb.lit(0)).as('sold'),
      ]
    })
    .select(storedAttributes)
    .where('id', '=', anyOf(ids))
    .orderBy('id')
  return prepared(db, query)
}

export function listProductIds(db: Db) {
  return readIds(db, db.selectFrom('products').select('id').orderBy('id'))
}

/** The ids of all products in the order of their names. */
export function listIdsByName(db: Db) {
  const byName = db
    .selectFrom('products')
    .select('id')
    .orderBy('search_name', (name) => name.collate('ru-x-icu'))
  return readIds(db, byName.orderBy('id'))
}

/** The stem of each word, which its grammatical forms share; '' where it has none (docs/search.md). */
export async function findStems(db: Db, words: string[]): Promise<Map<string, string>> {
  if (words.length === 0) return new Map()
  const query = db
    .selectFrom(sql<{ word: string }>`unnest(${words}::text[])`.as<'given'>(sql`given (word)`))
    .select(['word', sql<string>`array_to_string(tsvector_to_array(to_tsvector('search', word)), ' ')`.as('stem')])
  const rows = await prepared(db, query)
  return new Map(rows.map(({ word, stem }) => [word, stem]))
}

/** Counts the units of each product ordered in the last `days`, at most an int. @returns the products whose count changed */
export async function countSales(trx: Trx, days: number) {
  const rows = await trx
    .with('sold', (cte) =>
      cte
        .selectFrom('orders')
        .innerJoin('order_items', 'order_items.order_id', 'orders.id')
        .select(['product_id', sql<number>`least(sum(order_items.quantity), 2147483647)::int`.as('quantity')])
        .where('orders.created_at', '>', sql<Date>`now() - ${days}::int * interval '1 day'`)
        .where('orders.status', '!=', 'CANCELLED')
        .where('product_id', 'is not', null)
        .groupBy('product_id')
        .$narrowType<{ product_id: number }>(),
    )
    .with('removed', (cte) =>
      cte
        .deleteFrom('product_sales')
        .where(({ exists, not, selectFrom }) =>
          not(exists(selectFrom('sold').whereRef('sold.product_id', '=', 'product_sales.product_id'))),
        )
        .returning('product_id'),
    )
    .with('changed', (cte) =>
      cte
        .insertInto('product_sales')
        .columns(['product_id', 'quantity'])
        .expression((eb) => eb.selectFrom('sold').select(['product_id', 'quantity']))
        .onConflict((conflict) =>
          conflict
            .column('product_id')
            .doUpdateSet(({ ref }) => ({ quantity: ref('excluded.quantity') }))
            .whereRef('product_sales.quantity', '!=', 'excluded.quantity'),
        )
        .returning('product_id'),
    )
    .selectFrom('removed')
    .select('product_id')
    .unionAll((eb) => eb.selectFrom('changed').select('product_id'))
    .execute()
  return rows.map(({ product_id }) => product_id)
}
