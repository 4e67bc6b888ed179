import { sql } from 'kysely'
import type { SlugParts } from '../../../src/rules/catalogue/slugs.ts'
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
  await trx
    .with('incoming', (db) =>
      db
        .selectFrom(
          sql<SupplierCategory & SlugParts & { id: number }>`json_to_recordset(${JSON.stringify(rows)}::json)`.as<'i'>(
            sql`i(id int, "externalId" text, name text, "parentExternalId" text, "updatedAt" timestamptz, slug text,
              base text, suffix int)`,
          ),
        )
        .selectAll(),
    )
    .with('inserted', (db) =>
      db
        .insertInto('categories')
        .columns(['id', 'external_id', 'name', 'slug', 'parent_external_id', 'supplier_updated_at'])
        .expression(
          db.selectFrom('incoming').select(['id', 'externalId', 'name', 'slug', 'parentExternalId', 'updatedAt']),
        ),
    )
    .insertInto('slug_history')
    .columns(['kind', 'slug', 'entity_id', 'base', 'suffix'])
    .expression((eb) =>
      eb.selectFrom('incoming').select(({ val }) => [val('category').as('kind'), 'slug', 'id', 'base', 'suffix']),
    )
    .execute()

  const changed = await trx
    .updateTable('categories as c')
    .from(
      sql<SupplierCategory>`json_to_recordset(${JSON.stringify(records)}::json)`.as<'i'>(
        sql`i("externalId" text, name text, "parentExternalId" text, "updatedAt" timestamptz)`,
      ),
    )
    .leftJoin('categories as parent', 'parent.external_id', 'i.parentExternalId')
    .set(({ ref }) => ({
      name: ref('i.name'),
      parent_external_id: ref('i.parentExternalId'),
      supplier_updated_at: ref('i.updatedAt'),
      parent_id: ref('parent.id'),
      updated_at: sql`now()`,
    }))
    .whereRef('c.external_id', '=', 'i.externalId')
    .where('c.category_locked_by_gbstore', '=', false)
    .where(({ eb, or, and, ref }) =>
      or([
        eb('c.name', '<>', ref('i.name')),
        eb('c.parent_external_id', 'is distinct from', ref('i.parentExternalId')),
        // Staff had moved it below a category of their own and then unlocked it.
        and([eb('c.parent_id', 'is not', null), eb('c.parent_id', 'is distinct from', ref('parent.id'))]),
      ]),
    )
    .returning('c.id')
    .execute()

  const linked = await trx
    .updateTable('categories as c')
    .from('categories as parent')
    .set(({ ref }) => ({ parent_id: ref('parent.id') }))
    .where('c.parent_id', 'is', null)
    .whereRef('parent.external_id', '=', 'c.parent_external_id')
    .where('c.category_locked_by_gbstore', '=', false)
    .returning('c.id')
    .execute()
  return toImported(fresh, idsOf(changed), idsOf(linked))
}

async function withoutDeleted(trx: Trx, records: SupplierCategory[]): Promise<SupplierCategory[]> {
  const rows = await trx.selectFrom('deleted_categories').select('external_id').execute()
  const deleted = new Set(rows.map(({ external_id }) => external_id))
  if (deleted.size === 0) return records
  return records
    .filter(({ externalId }) => !deleted.has(externalId))
    .map((record) => (deleted.has(record.parentExternalId ?? '') ? { ...record, parentExternalId: null } : record))
}

/** Writes the supplier's brands. A name that staff set stays; the supplier's is stored beside it. */
export async function importBrands(trx: Trx, records: SupplierBrand[]): Promise<Imported> {
  const fresh = await selectNew(trx, 'brands', records)
  await trx
    .insertInto('brands')
    .columns(['id', 'external_id', 'name', 'supplier_updated_at'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<SupplierBrand & { id: number }>`json_to_recordset(${JSON.stringify(fresh)}::json)`.as<'i'>(
            sql`i(id int, "externalId" text, name text, "updatedAt" timestamptz)`,
          ),
        )
        .select(['i.id', 'i.externalId', 'i.name', 'i.updatedAt']),
    )
    .execute()
  const changed = await trx
    .updateTable('brands as b')
    .from(
      sql<SupplierBrand>`json_to_recordset(${JSON.stringify(records)}::json)`.as<'i'>(
        sql`i("externalId" text, name text, "updatedAt" timestamptz)`,
      ),
    )
    .set(({ eb, ref }) => ({
      name: eb.case().when('b.supplier_name', 'is', null).then(ref('i.name')).else(ref('b.name')).end(),
      supplier_name: eb.case().when('b.supplier_name', 'is not', null).then(ref('i.name')).end(),
      supplier_updated_at: ref('i.updatedAt'),
      updated_at: sql`now()`,
    }))
    .whereRef('b.external_id', '=', 'i.externalId')
    .where(({ eb, fn, ref }) => eb(fn.coalesce('b.supplier_name', 'b.name'), '<>', ref('i.name')))
    .returning('b.id')
    .execute()
  const named = await assignBrandSlugs(trx)
  return toImported(fresh, idsOf(changed), named)
}

/** Gives a slug to each brand without one. Rows are locked before slugs, as edits do. @returns their ids */
async function assignBrandSlugs(trx: Trx): Promise<number[]> {
  const query = trx.selectFrom('brands').select(['id', 'name']).where('slug', 'is', null)
  const brands = await query.orderBy('id').forUpdate().execute()
  if (brands.length === 0) return []
  await lockWork(trx, 'brandSlugs')
  const slugs = await allocateSlugs(trx, 'brand', brands)
  const rows = JSON.stringify(brands.map(({ id }, index) => ({ id, ...slugs[index] })))
  await trx
    .with('incoming', (db) =>
      db
        .selectFrom(
          sql<SlugParts & { id: number }>`json_to_recordset(${rows}::json)`.as<'i'>(
            sql`i(id int, slug text, base text, suffix int)`,
          ),
        )
        .selectAll(),
    )
    .with('named', (db) =>
      db
        .updateTable('brands as b')
        .from('incoming as i')
        .set(({ ref }) => ({ slug: ref('i.slug') }))
        .whereRef('b.id', '=', 'i.id'),
    )
    .insertInto('slug_history')
    .columns(['kind', 'slug', 'entity_id', 'base', 'suffix'])
    .expression((eb) =>
      eb.selectFrom('incoming').select(({ val }) => [val('brand').as('kind'), 'slug', 'id', 'base', 'suffix']),
    )
    .execute()
  return idsOf(brands)
}

/**
 * Links products to categories and brands that arrived after them, unless staff chose others.
 * @returns the ids of those products
 */
export async function linkWaitingProducts(trx: Trx): Promise<number[]> {
  await lockWork(trx, 'productRows')
  const placed = await trx
    .updateTable('products as p')
    .from('categories as c')
    .set(({ ref }) => ({ category_id: ref('c.id') }))
    .where('p.category_id', 'is', null)
    .where('p.category_external_id', 'is not', null)
    .where(sql<boolean>`not 'categoryId' = any(p.overrides)`)
    .whereRef('c.external_id', '=', 'p.category_external_id')
    .returning('p.id')
    .execute()
  const branded = await trx
    .updateTable('products as p')
    .from('brands as b')
    .set(({ ref }) => ({ brand_id: ref('b.id') }))
    .where('p.brand_id', 'is', null)
    .where('p.brand_external_id', 'is not', null)
    .where(sql<boolean>`not 'brandId' = any(p.overrides)`)
    .whereRef('b.external_id', '=', 'p.brand_external_id')
    .returning('p.id')
    .execute()
  return [...idsOf(placed), ...idsOf(branded)]
}
