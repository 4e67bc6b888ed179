import { type RawBuilder, sql } from 'kysely'
import type { ProductAttributesTable } from '../../tables/products.ts'

/**
 * Common table expressions that replace the attributes of one source and write only what differs. They read
 * `incoming (product_id, position, name, value)` and end with `replaced (product_id)`: the products that changed.
 * @param products the ids of all products that `incoming` is complete for
 */
export function replacedAttributes(
  source: ProductAttributesTable['source'],
  products: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`present as materialized (
      select a.product_id, a.position, a.name, a.value
      from product_attributes a where a.source = ${source} and a.product_id in (${products})
    ), removed as (
      delete from product_attributes a using present p
      where a.product_id = p.product_id and a.source = ${source} and a.position = p.position
        and not exists (
          select from incoming i where i.product_id = p.product_id and i.position = p.position)
      returning a.product_id
    ), updated as (
      update product_attributes a set name = i.name, value = i.value
      from incoming i join present p using (product_id, position)
      where a.product_id = i.product_id and a.source = ${source} and a.position = i.position
        and (p.name, p.value) is distinct from (i.name, i.value)
      returning a.product_id
    ), added as (
      insert into product_attributes (product_id, source, position, name, value)
      select i.product_id, ${source}, i.position, i.name, i.value from incoming i
      where not exists (
        select from present p where p.product_id = i.product_id and p.position = i.position)
      returning product_id
    ), replaced as (
      select product_id from removed union select product_id from updated union select product_id from added
    )`
}
