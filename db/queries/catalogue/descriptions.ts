import { sql } from 'kysely'
import type { Trx } from '../../database.ts'

export type StoredDescription = {
  id: number
  field: 'description' | 'supplier_description'
  description: string | null
}

/** Takes some products off the list of those whose stored descriptions were never sanitised, and locks them. */
export async function takeUnsanitized(trx: Trx, limit: number): Promise<StoredDescription[]> {
  const { rows } = await sql<StoredDescription>`
    with taken as (
      delete from unsanitized_products
      where product_id in (select product_id from unsanitized_products limit ${limit}::int)
      returning product_id
    ), locked as (
      select id, description, supplier_description from products
      where id in (select product_id from taken) for no key update
    )
    select id, field, text as description from locked, lateral (values
      ('description', description), ('supplier_description', supplier_description)) as stored(field, text)`.execute(
    trx,
  )
  return rows
}

/** @returns ids of the products that differ now */
export async function updateDescriptions(trx: Trx, descriptions: StoredDescription[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with safe as (
      select id, max(description) filter (where field = 'description') as description,
        max(description) filter (where field = 'supplier_description') as supplier_description
      from json_to_recordset(${JSON.stringify(descriptions)}::json) as d(id int, field text, description text)
      group by id
    )
    update products p
    set description = safe.description, supplier_description = safe.supplier_description, updated_at = now()
    from safe
    where p.id = safe.id
      and (p.description, p.supplier_description) is distinct from (safe.description, safe.supplier_description)
    returning p.id`.execute(trx)
  return rows.map(({ id }) => id)
}
