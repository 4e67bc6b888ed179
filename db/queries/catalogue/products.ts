import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { StoredAttribute } from '../../../src/rules/catalogue/attributes.ts'
import type { ProductGap } from '../../../src/rules/catalogue/product-filter.ts'
import type { Db } from '../../database.ts'
import { readIds } from '../../paging.ts'
import { anyOf, columnsOf, prepared } from '../../prepared.ts'
import type { CatalogueTables } from '../../tables/catalogue.ts'
import { availableQuantity } from '../stock/reservations.ts'

/** What a product lacks; the description may be blank. */
const MISSING: { [part in ProductGap]: RawBuilder<SqlBool> } = {
  image: sql`not exists (select from product_images i where i.product_id = products.id)`,
  price: sql`coalesce(final_price, 0) <= 0`,
  category: sql`category_id is null`,
  description: sql`coalesce(btrim(description, E' \\t\\r\\n'), '') = ''`,
}

/** Lists the products that lack all of these, active or not. */
export function listIncompleteProducts(db: Db, gaps: ProductGap[]): Promise<number[]> {
  const conditions = gaps.map((gap) => MISSING[gap])
  return readIds(db, sql`select id from products where ${sql.join(conditions, sql` and `)}`)
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

/** Width and height in pixels. */
type ProductImageRow = { id: number; displayOrder: number; width: number; height: number }
/** A product with its parts. */
export type ProductRow = Pick<Selectable<CatalogueTables['products']>, (typeof COLUMNS)[number]> & {
  available_quantity: number
  images: ProductImageRow[]
  tags: { id: number; name: string; slug: string; enabled: boolean }[]
  /** Of its active reviews, the average rounded to hundredths; null: it has none. */
  rating: { average: number; count: number } | null
}
/** Its attributes are ordered by source and position. */
export type CardRow = ProductRow & { attributes: StoredAttribute[] }

const images = sql`array_to_json(array(
  select json_build_object('id', i.image_id, 'displayOrder', i.display_order, 'width', m.width, 'height', m.height)
  from product_images i join images m on m.id = i.image_id
  where i.product_id = products.id order by i.display_order, i.image_id
)) as images`

const tags = sql`array_to_json(array(
  select json_build_object('id', t.id, 'name', t.name, 'slug', t.slug, 'enabled', t.enabled)
  from product_tags p join tags t on t.id = p.tag_id where p.product_id = products.id
  order by t.name collate "ru-x-icu", t.id
)) as tags`

const rating = sql`(
  select json_build_object('average', round(avg(r.rating), 2), 'count', count(*))
  from reviews r where r.product_id = products.id and r.active having count(*) > 0
) as rating`

/** Those that rules don't drop. Ordered as the primary key is, which saves a sort. */
export const storedAttributes = sql`array_to_json(array(
  select json_build_object('name', a.name, 'value', a.value, 'source', a.source)
  from product_attributes a where a.product_id = products.id and a.name is not null order by a.source, a.position
)) as attributes`

const parts = sql`${availableQuantity} as available_quantity, ${images}, ${tags}, ${rating}`
const product = sql`${columnsOf(COLUMNS)}, ${parts}`

/** In no particular order. */
export function findProducts(db: Db, ids: number[]): Promise<ProductRow[]> {
  return prepared(db, sql<ProductRow>`select ${product} from products where id = ${anyOf(ids)}`)
}

export async function findProduct(db: Db, id: number): Promise<CardRow | undefined> {
  const query = sql<CardRow>`select ${product}, ${storedAttributes} from products where id = ${id}`
  return (await prepared(db, query))[0]
}
