import { sql } from 'kysely'
import type { ProductOverride } from '../../../src/rules/catalogue/product-fields.ts'
import type { SlugParts } from '../../../src/rules/catalogue/slugs.ts'
import type { SupplierProduct } from '../../../src/rules/supplier/records.ts'
import type { Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import { namedByRules, replacedAttributes } from '../catalogue/attributes.ts'
import { allocateSlugs } from '../catalogue/slugs.ts'
import { discardOutgrownPlans, type Imported, idsOf, selectNew, toImported } from './import.ts'

type NewProduct = SupplierProduct & { id: number } & Partial<SlugParts>

/**
 * Selects the products of a page that are neither in the table nor deleted by staff, each with a new id and slug. Requires
 * the locks of product rows and slugs.
 */
export async function allocateProducts(trx: Trx, records: SupplierProduct[]): Promise<NewProduct[]> {
  const fresh = await selectNew(trx, 'products', records)
  await discardOutgrownPlans(trx, fresh)
  const slugs = await allocateSlugs(trx, 'product', fresh)
  return fresh.map((product, index) => ({ ...product, ...slugs[index] }))
}

/**
 * Writes a page of the supplier's products with their EXTERNAL attributes and stock history. Unchanged rows are not written,
 * and fields that staff own (site price, slug, activity, SEO texts, overrides) stay. Products that staff deleted are not
 * created again; they count as unchanged. Requires the lock of product rows.
 * @param fresh what `allocateProducts` selected of the page
 */
export async function importProducts(trx: Trx, records: SupplierProduct[], fresh: NewProduct[]): Promise<Imported> {
  const freshIds = new Set(fresh.map(({ externalId }) => externalId))
  const known = records.filter(({ externalId }) => !freshIds.has(externalId))
  if (fresh.length > 0) await insertProducts(trx, fresh)
  const changed = known.length > 0 ? await updateProducts(trx, known, await replaceAttributes(trx, known)) : []
  return toImported(fresh, changed)
}

/** The columns of `json_to_recordset`, with their types. */
const productColumns = sql.raw(`
  "externalId" text, name text, description text, price numeric, stock int, active boolean,
  "categoryExternalId" text, "brandExternalId" text, "pageUrl" text, "updatedAt" timestamptz`)
/** The same columns, of a row `i`. */
const productValues = sql.raw(`
  i."externalId", i.name, i.description, i.price, i.stock, i.active,
  i."categoryExternalId", i."brandExternalId", i."pageUrl", i."updatedAt"`)

async function insertProducts(trx: Trx, fresh: NewProduct[]): Promise<void> {
  const rows = fresh.map(({ attributes: _, ...record }) => record)
  const query = sql`
    with incoming as (
      select id, slug, base, suffix, ${productValues} from json_to_recordset(${JSON.stringify(rows)}::json) as i(
        id int, slug text, base text, suffix int, ${productColumns})
    ), attributed as (
      insert into product_attributes (product_id, source, position, value, name, supplier_name)
      ${namedByRules(
        sql`given.id, 'EXTERNAL', position, value`,
        sql`(select owner::int as id, position, name, value from ${attributesOf(fresh, ({ id }) => id)})`,
      )}
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
    insert into stock (product_id, quantity) select id, stock from incoming`
  await prepared(trx, query)
}

/** The records' attributes as rows. PostgreSQL reads arrays faster than JSON. */
function attributesOf<T extends SupplierProduct>(records: T[], ownerOf: (record: T) => string | number) {
  const rows = records.flatMap((record) =>
    record.attributes.map((attribute, position) => ({ owner: ownerOf(record), position, ...attribute })),
  )
  const [owners, positions] = [rows.map(({ owner }) => owner), rows.map(({ position }) => position)]
  const [names, values] = [rows.map(({ name }) => name), rows.map(({ value }) => value)]
  return sql`unnest(${owners}::text[], ${positions}::int[], ${names}::text[], ${values}::text[])
    as i(owner, position, name, value)`
}

/** @returns ids of the products whose attributes changed */
async function replaceAttributes(trx: Trx, records: SupplierProduct[]): Promise<number[]> {
  const ids = records.map(({ externalId }) => externalId)
  const query = sql<{ product_id: number }>`
    with page as materialized (
      select id, external_id from products where external_id = any(${ids}::text[])
    ), ${replacedAttributes({
      source: 'EXTERNAL',
      products: sql`select id from page`,
      supplied: sql`
        select page.id as product_id, i.position, i.name, i.value
        from ${attributesOf(records, ({ externalId }) => externalId)}
        join page on page.external_id = i.owner`,
    })}
    select product_id from replaced`
  const changed = await prepared(trx, query)
  return changed.map((row) => row.product_id)
}

const isOverridden = (field: ProductOverride) => sql`${field} = any(p.overrides)`

/**
 * The update itself reads the overrides, so that it keeps a concurrent edit.
 * @returns the ids of changed products, including those of which only attributes changed
 */
async function updateProducts(trx: Trx, records: SupplierProduct[], reattributed: number[]): Promise<number[]> {
  const rows = records.map(({ attributes: _, ...record }) => record)
  const query = sql<{ id: number }>`
    with incoming as (
      select ${productValues}, c.id as category_id, b.id as brand_id
      from json_to_recordset(${JSON.stringify(rows)}::json) as i(${productColumns})
      left join categories c on c.external_id = i."categoryExternalId"
      left join brands b on b.external_id = i."brandExternalId"
    ), changed as materialized (
      select p.id, p.stock as old_stock, i.category_id, i.brand_id, ${productValues}
      from incoming i join products p on p.external_id = i."externalId"
      where p.id = any(${reattributed}::int[])
        or (p.price, p.stock, p.supplier_active, p.category_external_id, p.brand_external_id, p.page_url)
          is distinct from (i.price, i.stock, i.active, i."categoryExternalId", i."brandExternalId", i."pageUrl")
        or (p.name is distinct from i.name and not ${isOverridden('name')})
        or (p.description is distinct from i.description and not ${isOverridden('description')})
        or (p.category_id is distinct from i.category_id and not ${isOverridden('categoryId')})
        or (p.brand_id is distinct from i.brand_id and not ${isOverridden('brandId')})
    ), updated as (
      update products p
      set name = case when ${isOverridden('name')} then p.name else c.name end,
        description = case when ${isOverridden('description')} then p.description else c.description end,
        category_id = case when ${isOverridden('categoryId')} then p.category_id else c.category_id end,
        brand_id = case when ${isOverridden('brandId')} then p.brand_id else c.brand_id end,
        price = c.price, stock = c.stock, supplier_active = c.active,
        category_external_id = c."categoryExternalId", brand_external_id = c."brandExternalId",
        page_url = c."pageUrl", supplier_updated_at = c."updatedAt", updated_at = now()
      from changed c where p.id = c.id
    ), recorded as (
      insert into stock (product_id, quantity) select id, stock from changed where stock <> old_stock
    )
    select id from changed`
  const changed = await prepared(trx, query)
  return idsOf(changed)
}
