import { sql } from 'kysely'
import type { ProductOverride } from '../../../src/rules/catalogue/product-fields.ts'
import type { SlugParts } from '../../../src/rules/catalogue/slugs.ts'
import type { SupplierProduct } from '../../../src/rules/supplier/records.ts'
import type { Trx } from '../../database.ts'
import { prepared } from '../../prepared.ts'
import { APPLIES, RULED_NAME, SUPPLIER_NAME, withReplacedAttributes } from '../catalogue/product-attributes.ts'
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
  if (known.length === 0) return toImported(fresh, [])
  const attributed = known.filter(({ unsound }) => !unsound.includes('attributes'))
  const updated = await updateProducts(trx, known, await replaceAttributes(trx, attributed))
  return { ...toImported(fresh, idsOf(updated)), hidden: idsOf(updated.filter(({ is_hidden }) => is_hidden)) }
}

type ProductRecord = Omit<SupplierProduct, 'attributes' | 'unsound'> & { id: number } & SlugParts

/** The records as rows `i`; known ones have neither id nor slug. */
function rowsOf(records: (SupplierProduct | NewProduct)[]) {
  const rows = records.map((record) => ({ ...record, attributes: undefined, unsound: undefined }))
  return sql<ProductRecord>`json_to_recordset(${JSON.stringify(rows)}::json)`.as<'i'>(sql`i(
    id int, slug text, base text, suffix int, "externalId" text, name text, description text, price numeric, stock int,
    active boolean, "categoryExternalId" text, "brandExternalId" text, "pageUrl" text, "updatedAt" timestamptz)`)
}

const SUPPLIED = [
  'i.externalId',
  'i.name',
  'i.description',
  'i.price',
  'i.stock',
  'i.active',
  'i.categoryExternalId',
  'i.brandExternalId',
  'i.pageUrl',
  'i.updatedAt',
] as const

async function insertProducts(trx: Trx, fresh: NewProduct[]): Promise<void> {
  const attributes = attributesOf(fresh, ({ id }) => id)
  const query = trx
    .with('incoming', (db) =>
      db.selectFrom(rowsOf(fresh)).select(['i.id', 'i.slug', 'i.base', 'i.suffix', ...SUPPLIED]),
    )
    .with('attributed', (db) =>
      db
        .insertInto('product_attributes')
        .columns(['product_id', 'source', 'position', 'value', 'name', 'supplier_name'])
        .expression(
          db
            .selectFrom(attributes)
            .leftJoin('attribute_rules as rule', (join) => join.on(APPLIES))
            .select(({ val }) => [
              sql<number>`given.owner::int`.as('product_id'),
              val('EXTERNAL').as('source'),
              'given.position',
              'given.value',
              RULED_NAME.as('name'),
              SUPPLIER_NAME.as('supplier_name'),
            ]),
        ),
    )
    .with('inserted', (db) =>
      db
        .insertInto('products')
        .columns([
          'id',
          'external_id',
          'name',
          'slug',
          'description',
          'price',
          'stock',
          'supplier_active',
          'category_id',
          'brand_id',
          'category_external_id',
          'brand_external_id',
          'page_url',
          'supplier_updated_at',
        ])
        .expression(
          db
            .selectFrom('incoming as i')
            .leftJoin('categories as c', 'c.external_id', 'i.categoryExternalId')
            .leftJoin('brands as b', 'b.external_id', 'i.brandExternalId')
            .select(['i.id', 'i.externalId', 'i.name', 'i.slug', 'i.description', 'i.price', 'i.stock', 'i.active'])
            .select(['c.id as category_id', 'b.id as brand_id', 'i.categoryExternalId', 'i.brandExternalId'])
            .select(['i.pageUrl', 'i.updatedAt']),
        ),
    )
    .with('named', (db) =>
      db
        .insertInto('slug_history')
        .columns(['kind', 'slug', 'entity_id', 'base', 'suffix'])
        .expression(
          db.selectFrom('incoming').select(({ val }) => [val('product').as('kind'), 'slug', 'id', 'base', 'suffix']),
        ),
    )
    .insertInto('stock')
    .columns(['product_id', 'quantity'])
    .expression((eb) => eb.selectFrom('incoming').select(['id', 'stock']))
  await prepared(trx, query)
}

/** The records' attributes as rows `given`. PostgreSQL reads arrays faster than JSON. */
function attributesOf<T extends SupplierProduct>(records: T[], ownerOf: (record: T) => string | number) {
  const rows = records.flatMap((record) =>
    record.attributes.map((attribute, position) => ({ owner: ownerOf(record), position, ...attribute })),
  )
  const [owners, positions] = [rows.map(({ owner }) => owner), rows.map(({ position }) => position)]
  const [names, values] = [rows.map(({ name }) => name), rows.map(({ value }) => value)]
  type Given = { owner: string; position: number; name: string; value: string }
  return sql<Given>`unnest(${owners}::text[], ${positions}::int[], ${names}::text[], ${values}::text[])`.as<'given'>(
    sql`given(owner, position, name, value)`,
  )
}

/** @returns ids of the products whose attributes changed */
async function replaceAttributes(trx: Trx, records: SupplierProduct[]): Promise<number[]> {
  const ids = records.map(({ externalId }) => externalId)
  const supplied = trx
    .with(
      (cte) => cte('page').materialized(),
      (db) =>
        db
          .selectFrom('products')
          .select(['id as product_id', 'external_id'])
          .where('external_id', '=', sql<string>`any(${ids}::text[])`),
    )
    .with(
      (cte) => cte('supplied').materialized(),
      (db) =>
        db
          .selectFrom(attributesOf(records, ({ externalId }) => externalId))
          .innerJoin('page', 'page.external_id', 'given.owner')
          .select(['page.product_id', 'given.position', 'given.name', 'given.value']),
    )
  const query = withReplacedAttributes(supplied, 'EXTERNAL').selectFrom('replaced').select('product_id')
  const changed = await prepared(trx, query)
  return changed.map((row) => row.product_id)
}

/** Whether staff override a field of `p`. */
const isOwn = (field: ProductOverride) => sql<boolean>`${field} = any(p.overrides)`

/**
 * What the supplier says of an overridden field is stored beside it, which changes nothing that anybody is shown. The update
 * itself reads the overrides, so that it keeps a concurrent edit.
 * @returns the products that changed otherwise, including those of which only attributes did. `is_hidden`: active until now
 */
async function updateProducts(trx: Trx, records: SupplierProduct[], reattributed: number[]) {
  const query = trx
    .with('incoming', (db) =>
      db
        .selectFrom(rowsOf(records))
        .leftJoin('categories as c', 'c.external_id', 'i.categoryExternalId')
        .leftJoin('brands as b', 'b.external_id', 'i.brandExternalId')
        .select([...SUPPLIED, 'c.id as category_id', 'b.id as brand_id']),
    )
    .with('compared', (db) =>
      db
        .selectFrom('incoming as i')
        .innerJoin('products as p', 'p.external_id', 'i.externalId')
        .select(['p.id', 'p.active as was_active', 'p.stock as old_stock', 'i.category_id', 'i.brand_id', ...SUPPLIED])
        .select(({ eb, or, and, not, ref, refTuple }) => {
          const categoryNamed = eb('p.category_external_id', 'is distinct from', ref('i.categoryExternalId'))
          const brandNamed = eb('p.brand_external_id', 'is distinct from', ref('i.brandExternalId'))
          const differs = or([
            eb('p.id', '=', sql<number>`any(${reattributed}::int[])`),
            eb(
              refTuple('p.price', 'p.stock', 'p.supplier_active', 'p.page_url'),
              'is distinct from',
              refTuple('i.price', 'i.stock', 'i.active', 'i.pageUrl'),
            ),
            and([not(isOwn('name')), eb('p.name', 'is distinct from', ref('i.name'))]),
            and([not(isOwn('description')), eb('p.description', 'is distinct from', ref('i.description'))]),
            and([
              not(isOwn('categoryId')),
              or([categoryNamed, eb('p.category_id', 'is distinct from', ref('i.category_id'))]),
            ]),
            and([not(isOwn('brandId')), or([brandNamed, eb('p.brand_id', 'is distinct from', ref('i.brand_id'))])]),
          ])
          const overriddenDiffers = or([
            and([isOwn('name'), eb('p.supplier_name', 'is distinct from', ref('i.name'))]),
            and([isOwn('description'), eb('p.supplier_description', 'is distinct from', ref('i.description'))]),
            and([isOwn('categoryId'), categoryNamed]),
            and([isOwn('brandId'), brandNamed]),
          ])
          return [differs.as('differs'), overriddenDiffers.as('overridden_differs')]
        }),
    )
    .with(
      (cte) => cte('changed').materialized(),
      (db) =>
        db
          .selectFrom('compared as i')
          .select([...SUPPLIED, 'i.id', 'i.was_active', 'i.old_stock', 'i.category_id', 'i.brand_id', 'i.differs'])
          .where(({ or, ref }) => or([ref('differs'), ref('overridden_differs')])),
    )
    .with('updated', (db) =>
      db
        .updateTable('products as p')
        .from('changed as c')
        .set(({ eb, ref }) => ({
          name: eb.case().when(isOwn('name')).then(ref('p.name')).else(ref('c.name')).end(),
          supplier_name: eb.case().when(isOwn('name')).then(ref('c.name')).end(),
          description: eb.case().when(isOwn('description')).then(ref('p.description')).else(ref('c.description')).end(),
          supplier_description: eb.case().when(isOwn('description')).then(ref('c.description')).end(),
          category_id: eb.case().when(isOwn('categoryId')).then(ref('p.category_id')).else(ref('c.category_id')).end(),
          brand_id: eb.case().when(isOwn('brandId')).then(ref('p.brand_id')).else(ref('c.brand_id')).end(),
          price: ref('c.price'),
          stock: ref('c.stock'),
          supplier_active: ref('c.active'),
          category_external_id: ref('c.categoryExternalId'),
          brand_external_id: ref('c.brandExternalId'),
          page_url: ref('c.pageUrl'),
          supplier_updated_at: ref('c.updatedAt'),
          updated_at: eb.case().when('c.differs', '=', true).then(sql<Date>`now()`).else(ref('p.updated_at')).end(),
        }))
        .whereRef('p.id', '=', 'c.id')
        .returning(['p.id', 'p.active']),
    )
    .with('recorded', (db) =>
      db
        .insertInto('stock')
        .columns(['product_id', 'quantity'])
        .expression(db.selectFrom('changed').select(['id', 'stock']).whereRef('stock', '<>', 'old_stock')),
    )
    .selectFrom('changed')
    .innerJoin('updated', 'updated.id', 'changed.id')
    .select(({ and, not, ref }) => ['changed.id', and([ref('was_active'), not(ref('updated.active'))]).as('is_hidden')])
    .where('differs', '=', true)
  return prepared(trx, query)
}
