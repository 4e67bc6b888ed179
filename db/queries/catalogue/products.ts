import { expressionBuilder, type Selectable, sql } from 'kysely'
import type { Db, Tables } from '../../database.ts'
import type { PageRequest } from '../../paging.ts'
import { anyOf, statement } from '../../prepared.ts'
import { PRODUCT_SORT, type ProductAttributesTable, type ProductsTable } from '../../tables/products.ts'
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

/** The ids of all products in the order of their names. */
export async function listIdsByName(db: Db): Promise<number[]> {
  const order = productOrder({ columns: PRODUCT_SORT.name, descending: false })
  const { rows } = await sql<{ ids: number[] }>`
    select array(select id from products order by ${sql.join(order)}) as ids`.execute(db)
  return rows[0]?.ids ?? []
}

/** All but what only sort orders compare with. */
const COLUMNS = [
  'products.id',
  'products.external_id',
  'products.name',
  'products.slug',
  'products.description',
  'products.price',
  'products.site_price',
  'products.final_price',
  'products.stock',
  'products.supplier_active',
  'products.active_override',
  'products.active',
  'products.category_id',
  'products.brand_id',
  'products.category_external_id',
  'products.brand_external_id',
  'products.page_url',
  'products.overrides',
  'products.supplier_name',
  'products.supplier_description',
  'products.meta_title',
  'products.meta_description',
  'products.supplier_updated_at',
  'products.version',
  'products.created_at',
  'products.updated_at',
]

export type ProductRow = Omit<Selectable<ProductsTable>, 'search_name'> & {
  brand_name: string | null
  available_quantity: number
  images: { id: number; displayOrder: number }[]
  tags: { id: number; name: string; slug: string; enabled: boolean }[]
}

const product = sql`${sql.raw(COLUMNS.join(', '))}, brands.name as brand_name,
  ${availableQuantity} as available_quantity, coalesce((
    select json_agg(json_build_object('id', i.image_id, 'displayOrder', i.display_order)
      order by i.display_order, i.image_id)
    from product_images i where i.product_id = products.id
  ), '[]') as images, coalesce((
    select json_agg(json_build_object('id', t.id, 'name', t.name, 'slug', t.slug, 'enabled', t.enabled)
      order by t.name, t.id)
    from product_tags p join tags t on t.id = p.tag_id where p.product_id = products.id
  ), '[]') as tags`

const productsByIds = statement<{ ids: number[] }, ProductRow>(
  (value) => sql`
    select ${product} from products left join brands on brands.id = products.brand_id
    where products.id = ${anyOf(value('ids'))}`,
)

/** Products with their brand, images and tags, in no order. */
export function findProducts(db: Db, ids: number[]): Promise<ProductRow[]> {
  return productsByIds(db, { ids })
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

export type AttributeRow = Pick<Selectable<ProductAttributesTable>, 'name' | 'value' | 'source'>
export type ProductCardRow = ProductRow & { attributes: AttributeRow[] }

const cardById = statement<{ id: number }, ProductCardRow>(
  (value) => sql`
    select ${product}, coalesce((
      select json_agg(json_build_object('name', a.name, 'value', a.value, 'source', a.source)
        order by a.position, a.source)
      from product_attributes a where a.product_id = products.id
    ), '[]') as attributes
    from products left join brands on brands.id = products.brand_id
    where products.id = ${value('id')}`,
)

/** A product with everything that its page shows; of both sources each in the order of its positions. */
export async function findProductCard(db: Db, id: number): Promise<ProductCardRow | undefined> {
  return (await cardById(db, { id }))[0]
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

export type CartProductRow = Pick<ProductRow, 'id' | 'name' | 'active' | 'final_price' | 'available_quantity'>

const cartProductsByIds = statement<{ ids: number[] }, CartProductRow>(
  (value) => sql`
    select id, name, active, final_price, ${availableQuantity} as available_quantity
    from products where id = ${anyOf(value('ids'))}`,
)

/** What the cart needs to know of products, in no order. */
export function findCartProducts(db: Db, ids: number[]): Promise<CartProductRow[]> {
  return cartProductsByIds(db, { ids })
}
