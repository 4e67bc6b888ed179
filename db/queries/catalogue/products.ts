import { expressionBuilder, type Selectable, sql } from 'kysely'
import { PRODUCT_COLUMNS } from '../../../src/rules/catalogue/product-fields.ts'
import type { Db, Tables } from '../../database.ts'
import type { PageRequest } from '../../paging.ts'
import { anyOf, columnsOf, statement } from '../../prepared.ts'
import type { ProductAttributesTable, ProductsTable } from '../../tables/products.ts'
import { availableQuantity } from '../stock/availability.ts'
import { matchProducts, type ProductFilter, type ProductOrder, productOrder } from './product-filter.ts'

export async function countProducts(db: Db, filter: ProductFilter): Promise<number> {
  const { count } = await db
    .selectFrom('products')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where((eb) => matchProducts(eb, filter))
    .executeTakeFirstOrThrow()
  return count
}

/** The ids of a page. */
export async function listProductIds(
  db: Db,
  filter: ProductFilter,
  order: ProductOrder,
  { page, size }: PageRequest,
): Promise<number[]> {
  const matching = matchProducts(expressionBuilder<Tables, 'products'>(), filter)
  const { rows } = await sql<{ id: number }>`
    select id from products
    where ${matching} order by ${sql.join(productOrder(order))}
    limit ${size} offset ${page * size}`.execute(db)
  return rows.map(({ id }) => id)
}

/** What the public is shown of a product, and all that staff edit. */
const SHOWN = [
  ...PRODUCT_COLUMNS,
  'id',
  'external_id',
  'slug',
  'final_price',
  'active',
  'created_at',
  'updated_at',
] as const satisfies (keyof ProductsTable)[]

/** With SHOWN all but what only sort orders compare with: what staff see, or decide by. */
const FOR_STAFF = [
  'supplier_active',
  'category_external_id',
  'brand_external_id',
  'page_url',
  'overrides',
  'supplier_name',
  'supplier_description',
  'supplier_updated_at',
  'version',
] as const satisfies (keyof ProductsTable)[]

type ShownColumns = Pick<Selectable<ProductsTable>, (typeof SHOWN)[number]> & { available_quantity: number }
type AllColumns = ShownColumns & Pick<Selectable<ProductsTable>, (typeof FOR_STAFF)[number]>
type PartsOfProduct = {
  images: { id: number; displayOrder: number }[]
  tags: { id: number; name: string; slug: string; enabled: boolean }[]
}
export type ShownProductRow = ShownColumns & PartsOfProduct
export type ProductRow = AllColumns & PartsOfProduct

export type AttributeRow = Pick<Selectable<ProductAttributesTable>, 'name' | 'value' | 'source'>
/** Of each source in the order of its positions. */
type WithAttributes = { attributes: AttributeRow[] }

/** As JSON arrays in an array, which take PostgreSQL and the process less than objects put together by an aggregate. */
type PartsAsArrays = {
  images: [id: number, displayOrder: number][]
  tags: [id: number, name: string, slug: string, enabled: boolean][]
}
type AttributesAsArrays = {
  attributes: [name: string, value: string, source: AttributeRow['source']][]
}

function product(columns: readonly string[]) {
  return sql`${columnsOf(columns)}, ${availableQuantity} as available_quantity,
    array_to_json(array(
      select json_build_array(i.image_id, i.display_order)
      from product_images i where i.product_id = products.id order by i.display_order, i.image_id
    )) as images,
    array_to_json(array(
      select json_build_array(t.id, t.name, t.slug, t.enabled)
      from product_tags p join tags t on t.id = p.tag_id where p.product_id = products.id
      order by t.name, t.id
    )) as tags`
}

/** In the order of the primary key, so that nothing is sorted. */
const attributes = sql`array_to_json(array(
  select json_build_array(a.name, a.value, a.source)
  from product_attributes a where a.product_id = products.id order by a.source, a.position
)) as attributes`

function byIds<Columns>(columns: readonly string[]) {
  return statement<{ ids: number[] }, Columns & PartsAsArrays>(
    (value) => sql`select ${product(columns)} from products where id = ${anyOf(value('ids'))}`,
  )
}

function byId<Columns>(columns: readonly string[]) {
  return statement<{ id: number }, Columns & PartsAsArrays & AttributesAsArrays>(
    (value) => sql`select ${product(columns)}, ${attributes} from products where id = ${value('id')}`,
  )
}

function toRow<Row extends PartsAsArrays>({ images, tags, ...columns }: Row) {
  return {
    ...columns,
    images: images.map(([id, displayOrder]) => ({ id, displayOrder })),
    tags: tags.map(([id, name, slug, enabled]) => ({ id, name, slug, enabled })),
  }
}

function toRowWithAttributes<Row extends PartsAsArrays & AttributesAsArrays>(row: Row) {
  const attributes = row.attributes.map(([name, value, source]) => ({ name, value, source }))
  return { ...toRow(row), attributes }
}

const shownByIds = byIds<ShownColumns>(SHOWN)
const shownById = byId<ShownColumns>(SHOWN)
const wholeByIds = byIds<AllColumns>([...SHOWN, ...FOR_STAFF])
const wholeById = byId<AllColumns>([...SHOWN, ...FOR_STAFF])

/** Products as the public is shown them, with their images and tags, in no order. */
export async function findShownProducts(db: Db, ids: number[]): Promise<ShownProductRow[]> {
  return (await shownByIds(db, { ids })).map(toRow)
}

/** Products with their images and tags, in no order. */
export async function findProducts(db: Db, ids: number[]): Promise<ProductRow[]> {
  return (await wholeByIds(db, { ids })).map(toRow)
}

/** A product with everything that its page shows to the public. */
export async function findShownProduct(
  db: Db,
  id: number,
): Promise<(ShownProductRow & WithAttributes) | undefined> {
  return (await shownById(db, { id })).map(toRowWithAttributes)[0]
}

/** A product with everything that its page shows to anyone, and what staff decide by. */
export async function findProduct(db: Db, id: number): Promise<(ProductRow & WithAttributes) | undefined> {
  return (await wholeById(db, { id })).map(toRowWithAttributes)[0]
}

export type ProductNameRow = { id: number; name: string; slug: string }

const namesByIds = statement<{ ids: number[] }, ProductNameRow>(
  (value) => sql`
    select id, name, slug from products
    where id = ${anyOf(value('ids'))} order by array_position(${value('ids')}::int[], id)`,
)

/** In the order of the ids. */
export function listProductNames(db: Db, ids: number[]): Promise<ProductNameRow[]> {
  return namesByIds(db, { ids })
}

export type ProductSlugRow = { id: number; slug: string; active: boolean }

/** The product that has or had the slug, with the slug it has now. */
export function findProductBySlug(db: Db, slug: string): Promise<ProductSlugRow | undefined> {
  return db
    .selectFrom('slug_history')
    .innerJoin('products', 'products.id', 'slug_history.entity_id')
    .select(['products.id', 'products.slug', 'products.active'])
    .where('slug_history.kind', '=', 'product')
    .where('slug_history.slug', '=', slug)
    .executeTakeFirst()
}

export type CartProductRow = Pick<
  ShownProductRow,
  'id' | 'name' | 'active' | 'final_price' | 'available_quantity'
>

const cartProductsByIds = statement<{ ids: number[] }, CartProductRow>(
  (value) => sql`
    select id, name, active, final_price, ${availableQuantity} as available_quantity
    from products where id = ${anyOf(value('ids'))}`,
)

/** What the cart needs to know of products, in no order. */
export function findCartProducts(db: Db, ids: number[]): Promise<CartProductRow[]> {
  return cartProductsByIds(db, { ids })
}
