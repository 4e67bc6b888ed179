import { type Kysely, sql } from 'kysely'

/**
 * What the supplier says of a product's name and description where staff override them. Of its category and brand the columns
 * category_external_id and brand_external_id say it already. The values that were overridden until now come with the next
 * products, all of which are read therefore.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table products
      add column supplier_name text,
      add column supplier_description text`.execute(db)
  const texts = sql`overrides && array['name', 'description']`
  await sql`
    update products set
      supplier_name = case when 'name' = any(overrides) then name end,
      supplier_description = case when 'description' = any(overrides) then description end
    where ${texts}`.execute(db)
  await sql`
    update sync_full_loads set trusted_at = null
    where sync_type = 'PRODUCTS' and exists (select from products where ${texts})`.execute(db)
  await sql`
    update sync_runs set state_discarded = true
    where status = 'RUNNING' and exists (select from products where ${texts})`.execute(db)
}
