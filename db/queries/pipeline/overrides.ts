import { sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { ProductImageOverrideRow } from '../../tables/scraping.ts'
import { namedByRules, nameKey } from '../catalogue/attributes.ts'

/**
 * Renames the stored attributes with these names after a change of their rules. The caller holds the lock of product
 * rows.
 * @returns the products that changed
 */
export async function renameAttributes(trx: Trx, supplierNames: string[]): Promise<number[]> {
  const { rows } = await sql<{ product_id: number }>`
    with named as (
      ${namedByRules(
        sql`product_id, source, position`,
        sql`(select product_id, source, position, coalesce(supplier_name, name) as name
          from product_attributes where source <> 'MANUAL')`,
      )}
      where ${nameKey(sql`given.name`)} in (
        select ${nameKey(sql`changed`)} from unnest(${supplierNames}::text[]) changed)
    ), renamed as (
      update product_attributes a set name = n.name, supplier_name = n.supplier_name
      from named n
      where a.product_id = n.product_id and a.source = n.source and a.position = n.position
        and (a.name, a.supplier_name) is distinct from (n.name, n.supplier_name)
      returning a.product_id
    )
    select distinct product_id from renamed`.execute(trx)
  return rows.map(({ product_id }) => product_id)
}

/** Sorted by id. */
export function listImageOverrides(db: Db, productId: number | null): Promise<ProductImageOverrideRow[]> {
  const all = db.selectFrom('product_image_overrides').selectAll().orderBy('id')
  return (productId === null ? all : all.where('product_id', '=', productId)).execute()
}
