import { sql } from 'kysely'
import type { SupplierBrand, SupplierCategory } from '../../../src/rules/supplier/records.ts'
import type { Trx } from '../../database.ts'
import { lockWork } from '../../locks.ts'
import { allocateSlugs } from '../catalogue/slugs.ts'
import { discardOutgrownPlans, type Imported, idsOf, selectNew, toImported } from './import.ts'

/**
 * Writes the supplier's categories, except locked ones and all that staff edit. A missing parent is linked when it arrives.
 * Categories that staff deleted are neither created again nor used as parents.
 */
export async function importCategories(trx: Trx, listed: SupplierCategory[]): Promise<Imported> {
  await lockWork(trx, 'categoryTree', 'categorySlugs')
  const records = await withoutDeleted(trx, listed)
  const fresh = await selectNew(trx, 'categories', records)
  await discardOutgrownPlans(trx, fresh)
  const slugs = await allocateSlugs(trx, 'category', fresh)
  const rows = fresh.map((record, index) => ({ ...record, ...slugs[index] }))
  await sql`
    with incoming as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as i(
        id int, "externalId" text, name text, "parentExternalId" text, "updatedAt" timestamptz,
        slug text, base text, suffix int)
    ), inserted as (
      insert into categories (id, external_id, name, slug, parent_external_id, supplier_updated_at)
      select id, "externalId", name, slug, "parentExternalId", "updatedAt" from incoming
    )
    insert into slug_history (kind, slug, entity_id, base, suffix)
    select 'category', slug, id, base, suffix from incoming`.execute(trx)

  const changed = await sql<{ id: number }>`
    update categories c
    set name = i.name, parent_external_id = i."parentExternalId", supplier_updated_at = i."updatedAt",
      parent_id = parent.id, updated_at = now()
    from json_to_recordset(${JSON.stringify(records)}::json) as i(
      "externalId" text, name text, "parentExternalId" text, "updatedAt" timestamptz)
    left join categories parent on parent.external_id = i."parentExternalId"
    where c.external_id = i."externalId" and not c.category_locked_by_gbstore
      and ((c.name, c.parent_external_id) is distinct from (i.name, i."parentExternalId")
        -- Staff had moved it below a category of their own and then unlocked it.
        or (c.parent_id is not null and c.parent_id is distinct from parent.id))
    returning c.id`.execute(trx)

  const linked = await sql<{ id: number }>`
    update categories c set parent_id = parent.id
    from categories parent
    where c.parent_id is null and parent.external_id = c.parent_external_id
      and not c.category_locked_by_gbstore
    returning c.id`.execute(trx)
  return toImported(fresh, idsOf(changed.rows), idsOf(linked.rows))
}

async function withoutDeleted(trx: Trx, records: SupplierCategory[]): Promise<SupplierCategory[]> {
  const { rows } = await sql<{ external_id: string }>`
    select external_id from deleted_categories`.execute(trx)
  const deleted = new Set(rows.map(({ external_id }) => external_id))
  if (deleted.size === 0) return records
  return records
    .filter(({ externalId }) => !deleted.has(externalId))
    .map((record) => (deleted.has(record.parentExternalId ?? '') ? { ...record, parentExternalId: null } : record))
}

/** Writes the supplier's brands. A name that staff set stays; the supplier's is stored beside it. */
export async function importBrands(trx: Trx, records: SupplierBrand[]): Promise<Imported> {
  const fresh = await selectNew(trx, 'brands', records)
  await sql`
    insert into brands (id, external_id, name, supplier_updated_at)
    select id, "externalId", name, "updatedAt"
    from json_to_recordset(${JSON.stringify(fresh)}::json) as i(
      id int, "externalId" text, name text, "updatedAt" timestamptz)`.execute(trx)
  const changed = await sql<{ id: number }>`
    update brands b
    set name = case when b.supplier_name is null then i.name else b.name end,
      supplier_name = case when b.supplier_name is null then null else i.name end,
      supplier_updated_at = i."updatedAt", updated_at = now()
    from json_to_recordset(${JSON.stringify(records)}::json) as i(
      "externalId" text, name text, "updatedAt" timestamptz)
    where b.external_id = i."externalId" and coalesce(b.supplier_name, b.name) <> i.name
    returning b.id`.execute(trx)
  const named = await assignBrandSlugs(trx)
  return toImported(fresh, idsOf(changed.rows), named)
}

/** Gives a slug to each brand without one. Rows are locked before slugs, as edits do. @returns their ids */
async function assignBrandSlugs(trx: Trx): Promise<number[]> {
  const query = trx.selectFrom('brands').select(['id', 'name']).where('slug', 'is', null)
  const brands = await query.orderBy('id').forUpdate().execute()
  if (brands.length === 0) return []
  await lockWork(trx, 'brandSlugs')
  const slugs = await allocateSlugs(trx, 'brand', brands)
  const rows = JSON.stringify(brands.map(({ id }, index) => ({ id, ...slugs[index] })))
  await sql`
    with incoming as (
      select * from json_to_recordset(${rows}::json) as i(id int, slug text, base text, suffix int)
    ), named as (
      update brands b set slug = i.slug from incoming i where b.id = i.id
    )
    insert into slug_history (kind, slug, entity_id, base, suffix)
    select 'brand', slug, id, base, suffix from incoming`.execute(trx)
  return idsOf(brands)
}

/**
 * Links products to categories and brands that arrived after them, unless staff chose others.
 * @returns the ids of those products
 */
export async function linkWaitingProducts(trx: Trx): Promise<number[]> {
  await lockWork(trx, 'productRows')
  const placed = await sql<{ id: number }>`
    update products p set category_id = c.id from categories c
    where p.category_id is null and p.category_external_id is not null and not 'categoryId' = any(p.overrides)
      and c.external_id = p.category_external_id
    returning p.id`.execute(trx)
  const branded = await sql<{ id: number }>`
    update products p set brand_id = b.id from brands b
    where p.brand_id is null and p.brand_external_id is not null and not 'brandId' = any(p.overrides)
      and b.external_id = p.brand_external_id
    returning p.id`.execute(trx)
  return [...idsOf(placed.rows), ...idsOf(branded.rows)]
}
