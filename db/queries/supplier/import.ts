import { sql } from 'kysely'
import type { ProductOverride } from '../../../src/rules/catalogue/product-fields.ts'
import type { SupplierBrand, SupplierCategory, SupplierProduct } from '../../../src/rules/supplier/records.ts'
import type { Trx } from '../../database.ts'
import { replacedAttributes } from '../catalogue/attribute-replacement.ts'
import { lockCategoryTree } from '../catalogue/category-edits.ts'
import { lockProductRows } from '../catalogue/product-edits.ts'
import { allocateSlugs } from '../catalogue/slugs.ts'

/** A page that brings so many new records may outgrow what the server planned for the table while it was small. */
const MANY_NEW = 1000

export type ImportCounts = { created: number; updated: number; unchanged: number }
/** What came of a page, and the ids of all rows that it changed, whether counted or not. */
export type Imported = { counts: ImportCounts; changed: number[] }

/**
 * Writes the supplier's categories. Locked ones stay as they are, and so does everything that staff edit; a parent
 * that is not there yet is linked when it comes. What staff deleted doesn't come back, and is nobody's parent.
 */
export async function importCategories(trx: Trx, listed: SupplierCategory[]): Promise<Imported> {
  await lockCategoryTree(trx)
  const records = await withoutDeleted(trx, listed)
  const fresh = await selectNew(trx, 'categories', records)
  await forgetOutgrownPlans(trx, fresh)
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
        -- Below a category that has no name with the supplier, until staff gave this one back to him.
        or (c.parent_id is not null and c.parent_id is distinct from parent.id))
    returning c.id`.execute(trx)

  const linked = await sql<{ id: number }>`
    update categories c set parent_id = parent.id
    from categories parent
    where c.parent_id is null and parent.external_id = c.parent_external_id
      and not c.category_locked_by_gbstore
    returning c.id`.execute(trx)
  return imported(listed, fresh, idsOf(changed.rows), idsOf(linked.rows))
}

async function withoutDeleted(trx: Trx, records: SupplierCategory[]): Promise<SupplierCategory[]> {
  const { rows } = await sql<{ external_id: string }>`
    select external_id from deleted_categories`.execute(trx)
  const deleted = new Set(rows.map(({ external_id }) => external_id))
  if (deleted.size === 0) return records
  return records
    .filter(({ externalId }) => !deleted.has(externalId))
    .map((record) =>
      deleted.has(record.parentExternalId ?? '') ? { ...record, parentExternalId: null } : record,
    )
}

/** Writes the supplier's brands. */
export async function importBrands(trx: Trx, records: SupplierBrand[]): Promise<Imported> {
  const fresh = await selectNew(trx, 'brands', records)
  await sql`
    insert into brands (id, external_id, name, supplier_updated_at)
    select id, "externalId", name, "updatedAt"
    from json_to_recordset(${JSON.stringify(fresh)}::json) as i(
      id int, "externalId" text, name text, "updatedAt" timestamptz)`.execute(trx)
  const changed = await sql<{ id: number }>`
    update brands b set name = i.name, supplier_updated_at = i."updatedAt", updated_at = now()
    from json_to_recordset(${JSON.stringify(records)}::json) as i(
      "externalId" text, name text, "updatedAt" timestamptz)
    where b.external_id = i."externalId" and b.name <> i.name
    returning b.id`.execute(trx)
  return imported(records, fresh, idsOf(changed.rows))
}

/**
 * Gives products the category or brand that they named before it was known, unless staff decided otherwise.
 * @returns the ids of those products
 */
export async function linkWaitingProducts(trx: Trx): Promise<number[]> {
  await lockProductRows(trx)
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

/**
 * Writes a page of the supplier's products with their EXTERNAL attributes and the history of their stock. Rows that
 * are the same are not written, and what staff decide (site price, slug, activity, SEO texts, overrides…) is not
 * touched. What staff deleted doesn't come back: it counts as unchanged.
 */
export async function importProducts(trx: Trx, records: SupplierProduct[]): Promise<Imported> {
  const fresh = await selectNew(trx, 'products', records)
  await forgetOutgrownPlans(trx, fresh)
  const freshIds = new Set(fresh.map(({ externalId }) => externalId))
  const known = records.filter(({ externalId }) => !freshIds.has(externalId))
  if (fresh.length > 0) await insertProducts(trx, fresh)
  const changed =
    known.length > 0 ? await updateProducts(trx, known, await replaceAttributes(trx, known)) : []
  return imported(records, fresh, changed)
}

/**
 * The checks of foreign keys keep their plans for as long as the connection lives: one made when a handful of rows
 * was best read whole would read all the new ones whole, once for each.
 */
async function forgetOutgrownPlans(trx: Trx, fresh: unknown[]): Promise<void> {
  if (fresh.length >= MANY_NEW) await sql`discard plans`.execute(trx)
}

/** The records that are not in the table yet, nor were deleted by staff, each with the id that it will have. */
async function selectNew<T extends { externalId: string }>(
  trx: Trx,
  table: 'categories' | 'brands' | 'products',
  records: T[],
): Promise<(T & { id: number })[]> {
  const ids = records.map(({ externalId }) => externalId)
  const wanted =
    table === 'products'
      ? sql`not exists (select from deleted_products d where d.external_id = i.external_id)`
      : sql`true`
  const { rows } = await sql<{ position: number; id: number }>`
    select (position - 1)::int as position, nextval(pg_get_serial_sequence(${table}, 'id'))::int as id
    from unnest(${ids}::text[]) with ordinality as i(external_id, position)
    where not exists (select from ${sql.table(table)} t where t.external_id = i.external_id) and ${wanted}
    order by position`.execute(trx)
  return rows.flatMap(({ position, id }) => {
    const record = records[position]
    return record ? [{ ...record, id }] : []
  })
}

const productColumns = sql.raw(`
  "externalId" text, name text, description text, price numeric, stock int, active boolean,
  "categoryExternalId" text, "brandExternalId" text, "pageUrl" text, "updatedAt" timestamptz`)

async function insertProducts(trx: Trx, fresh: (SupplierProduct & { id: number })[]): Promise<void> {
  const slugs = await allocateSlugs(trx, 'product', fresh)
  const rows = fresh.map(({ attributes: _, ...record }, index) => ({ ...record, ...slugs[index] }))
  const attributes = fresh.flatMap((record) =>
    record.attributes.map((attribute, position) => ({ id: record.id, position, ...attribute })),
  )
  await sql`
    with incoming as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as i(
        id int, slug text, base text, suffix int, ${productColumns})
    ), attributed as (
      insert into product_attributes (product_id, source, position, name, value)
      select id, 'EXTERNAL', position, name, value
      from json_to_recordset(${JSON.stringify(attributes)}::json) as i(
        id int, position int, name text, value text)
    ), inserted as (
      insert into products (id, external_id, name, slug, description, price, stock, supplier_active,
        category_id, brand_id, category_external_id, brand_external_id, page_url, supplier_updated_at)
      select i.id, i."externalId", i.name, i.slug, i.description, i.price, i.stock, i.active,
        c.id, b.id, i."categoryExternalId", i."brandExternalId", i."pageUrl", i."updatedAt"
      from incoming i
      left join categories c on c.external_id = i."categoryExternalId"
      left join brands b on b.external_id = i."brandExternalId"
    ), named as (
      insert into slug_history (kind, slug, entity_id, base, suffix)
      select 'product', slug, id, base, suffix from incoming
    )
    insert into stock (product_id, quantity) select id, stock from incoming`.execute(trx)
}

/** @returns ids of the products whose attributes changed */
async function replaceAttributes(trx: Trx, records: SupplierProduct[]): Promise<number[]> {
  const ids = records.map(({ externalId }) => externalId)
  const rows = records.flatMap(({ externalId, attributes }) =>
    attributes.map(({ name, value }, position) => ({ externalId, position, name, value })),
  )
  const changed = await sql<{ product_id: number }>`
    with page as materialized (
      select id, external_id from products where external_id = any(${ids}::text[])
    ), incoming as materialized (
      select page.id as product_id, i.position, i.name, i.value
      from json_to_recordset(${JSON.stringify(rows)}::json) as i(
        "externalId" text, position int, name text, value text)
      join page on page.external_id = i."externalId"
    ), ${replacedAttributes('EXTERNAL', sql`select id from page`)}
    select product_id from replaced`.execute(trx)
  return changed.rows.map((row) => row.product_id)
}

const isTaken = (field: ProductOverride) => sql`${field} = any(p.overrides)`

/**
 * What staff took over stays theirs, as it is when the row is written, and the supplier's word for it is kept beside.
 * @returns the ids of the products that changed, those of which only attributes did included
 */
async function updateProducts(
  trx: Trx,
  records: SupplierProduct[],
  reattributed: number[],
): Promise<number[]> {
  const rows = records.map(({ attributes: _, ...record }) => record)
  const changed = await sql<{ id: number }>`
    with incoming as (
      select i.*, c.id as category_id, b.id as brand_id
      from json_to_recordset(${JSON.stringify(rows)}::json) as i(${productColumns})
      left join categories c on c.external_id = i."categoryExternalId"
      left join brands b on b.external_id = i."brandExternalId"
    ), changed as materialized (
      select p.id, p.stock as old_stock, i.*
      from incoming i join products p on p.external_id = i."externalId"
      where p.id = any(${reattributed}::int[])
        or (p.price, p.stock, p.supplier_active, p.category_external_id, p.brand_external_id, p.page_url)
          is distinct from (i.price, i.stock, i.active, i."categoryExternalId", i."brandExternalId", i."pageUrl")
        or case when ${isTaken('name')} then p.supplier_name else p.name end is distinct from i.name
        or case when ${isTaken('description')} then p.supplier_description else p.description end
          is distinct from i.description
        or (p.category_id is distinct from i.category_id and not ${isTaken('categoryId')})
        or (p.brand_id is distinct from i.brand_id and not ${isTaken('brandId')})
    ), updated as (
      update products p
      set name = case when ${isTaken('name')} then p.name else c.name end,
        supplier_name = case when ${isTaken('name')} then c.name end,
        description = case when ${isTaken('description')} then p.description else c.description end,
        supplier_description = case when ${isTaken('description')} then c.description end,
        category_id = case when ${isTaken('categoryId')} then p.category_id else c.category_id end,
        brand_id = case when ${isTaken('brandId')} then p.brand_id else c.brand_id end,
        price = c.price, stock = c.stock, supplier_active = c.active, category_external_id = c."categoryExternalId", brand_external_id = c."brandExternalId",
        page_url = c."pageUrl", supplier_updated_at = c."updatedAt", updated_at = now()
      from changed c where p.id = c.id
    ), recorded as (
      insert into stock (product_id, quantity) select id, stock from changed where stock <> old_stock
    )
    select id from changed`.execute(trx)
  return idsOf(changed.rows)
}

function idsOf(rows: { id: number }[]): number[] {
  return rows.map(({ id }) => id)
}

/** @param alongside changed too, though not by a record of their own */
function imported(
  records: unknown[],
  fresh: { id: number }[],
  updated: number[],
  alongside: number[] = [],
): Imported {
  const counts = { created: fresh.length, updated: updated.length }
  return {
    counts: { ...counts, unchanged: records.length - counts.created - counts.updated },
    changed: [...idsOf(fresh), ...updated, ...alongside],
  }
}
