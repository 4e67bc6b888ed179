import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool, sql } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { ProductGap } from '../../../src/rules/catalogue/product-filter.ts'
import type { Db, Tables } from '../../database.ts'
import { readIds } from '../../paging.ts'
import { anyOf, type Params, prepare, prepared } from '../../prepared.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'
import { availableQuantity } from '../stock/reservations.ts'

type Products = ExpressionBuilder<Tables, 'products'>

/** What a product lacks; the description may be blank. */
const MISSING: { [part in ProductGap]: (eb: Products) => Expression<SqlBool> } = {
  image: (eb) =>
    eb.not(eb.exists(eb.selectFrom('product_images').whereRef('product_images.product_id', '=', 'products.id'))),
  price: (eb) => eb(eb.fn.coalesce('final_price', eb.lit(0)), '<=', 0),
  category: (eb) => eb('category_id', 'is', null),
  description: () => sql`coalesce(btrim(description, E' \\t\\r\\n'), '') = ''`,
}

/** Lists the products that lack all of these, active or not. */
export function listIncompleteProducts(db: Db, gaps: ProductGap[]) {
  const query = db
    .selectFrom('products')
    .select('id')
    .where((eb) => eb.and(gaps.map((gap) => MISSING[gap](eb))))
  return readIds(db, query)
}

/** Those of the products that the public sees. */
export async function listShown(db: Db, ids: number[]): Promise<number[]> {
  const query = db.selectFrom('products').select('id').where('id', '=', anyOf(ids)).where('active', '=', true)
  return (await prepared(db, query)).map(({ id }) => id)
}

const COLUMNS = [
  'id',
  'name',
  'description',
  'price',
  'site_price',
  'stock',
  'active_override',
  'category_id',
  'brand_id',
  'meta_title',
  'meta_description',
  'external_id',
  'slug',
  'final_price',
  'active',
  'created_at',
  'updated_at',
  'overrides',
  'version',
] as const satisfies (keyof CatalogueTables['products'])[]

// Built once: the same in every statement.
const eb = expressionBuilder<Tables, 'products'>()

/** The supplier's price where the shop sells for less; null: it doesn't. */
export const oldPrice = eb
  .case()
  .when(eb.and([eb('final_price', '>', sql<string>`0`), eb('price', '>', eb.ref('final_price'))]))
  .then(eb.ref('price'))
  .end()

const images = jsonArrayFrom(
  eb
    .selectFrom('product_images')
    .innerJoin('images', 'images.id', 'product_images.image_id')
    .select(['images.id', 'images.sha256', 'product_images.display_order as displayOrder'])
    .select(['images.width', 'images.height'])
    .whereRef('product_images.product_id', '=', 'products.id')
    .orderBy('product_images.display_order')
    .orderBy('product_images.image_id'),
).as('images')

const tags = jsonArrayFrom(
  eb
    .selectFrom('product_tags')
    .innerJoin('tags', 'tags.id', 'product_tags.tag_id')
    .select(['tags.id', 'tags.name', 'tags.slug', 'tags.enabled'])
    .whereRef('product_tags.product_id', '=', 'products.id')
    .orderBy('tags.name', (name) => name.collate('ru-x-icu'))
    .orderBy('tags.id'),
).as('tags')

/** Of its active reviews, the average rounded to hundredths; null: it has none. */
const rating = jsonObjectFrom(
  eb
    .selectFrom('reviews')
    .select(({ fn }) => [sql<number>`round(avg(reviews.rating), 2)`.as('average'), fn.countAll<number>().as('count')])
    .whereRef('reviews.product_id', '=', 'products.id')
    .where('reviews.active', '=', eb.lit(true))
    .having(({ fn }) => fn.countAll(), '>', eb.lit(0)),
).as('rating')

/** Those that rules don't drop. Ordered as the primary key is, which saves a sort. */
export const storedAttributes = jsonArrayFrom(
  eb
    .selectFrom('product_attributes')
    .select(['name', 'value', 'source'])
    .whereRef('product_attributes.product_id', '=', 'products.id')
    .where('name', 'is not', null)
    .$narrowType<{ name: string }>()
    .orderBy('source')
    .orderBy('position'),
).as('attributes')

/** The category and brand that the supplier names, also where staff set others. */
const suppliedCategory = eb
  .selectFrom('categories')
  .select('categories.id')
  .whereRef('categories.external_id', '=', 'products.category_external_id')
const suppliedBrand = eb
  .selectFrom('brands')
  .select('brands.id')
  .whereRef('brands.external_id', '=', 'products.brand_external_id')

function productRows(db: Db) {
  return db
    .selectFrom('products')
    .select(COLUMNS)
    .select([availableQuantity.as('available_quantity'), oldPrice.as('old_price'), images, tags, rating])
}

/** A product with its parts. */
export type ProductRow = Awaited<ReturnType<typeof findProducts>>[number]
/** Its attributes are ordered by source and position. */
export type CardRow = NonNullable<Awaited<ReturnType<typeof findProduct>>>

const selectProducts = prepare((db, { ids }: Params<{ ids: number[] }>) => productRows(db).where('id', '=', anyOf(ids)))

/** In no particular order. */
export function findProducts(db: Db, ids: number[]) {
  return selectProducts(db, { ids })
}

const selectCard = prepare((db, { id }: Params<{ id: number }>) =>
  productRows(db)
    .select(['supplier_name', 'supplier_description', storedAttributes])
    .select([suppliedCategory.as('supplier_category_id'), suppliedBrand.as('supplier_brand_id')])
    .where('id', '=', id),
)

export async function findProduct(db: Db, id: number) {
  return (await selectCard(db, { id }))[0]
}
