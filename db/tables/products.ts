import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { StoredAttribute } from '../../src/rules/catalogue/attributes.ts'
import type { ProductOverride } from '../../src/rules/catalogue/product-fields.ts'
import type { SortFields } from '../../src/rules/lists.ts'

export type ProductsTable = {
  id: Generated<number>
  external_id: string | null
  name: string
  /** Lower case, ё as е, cut at 650 characters, which is what an index entry holds: what names are sorted by. */
  search_name: GeneratedAlways<string>
  slug: string
  description: string | null
  /** Decimal text, two places. Null: the supplier gave none. */
  price: string | null
  site_price: string | null
  final_price: GeneratedAlways<string | null>
  stock: Generated<number>
  supplier_active: Generated<boolean>
  /** What staff decided, which outlives every sync; null: the supplier's word counts. */
  active_override: boolean | null
  active: GeneratedAlways<boolean>
  category_id: number | null
  brand_id: number | null
  /** As the supplier names them, kept so that a category or brand that arrives later is found. */
  category_external_id: string | null
  brand_external_id: string | null
  page_url: string | null
  /** What staff took over of a supplier's product: the sync leaves these fields alone. */
  overrides: ColumnType<ProductOverride[], ProductOverride[] | undefined>
  /** What the supplier says of an overridden name or description; null when it isn't overridden. */
  supplier_name: string | null
  supplier_description: string | null
  meta_title: string | null
  meta_description: string | null
  supplier_updated_at: Date | null
  /** Counts the changes that staff made. */
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** Each is the order of an index; db/queries/catalogue/product-filter.ts knows of collations and absent prices. */
export const PRODUCT_SORT = {
  name: ['search_name', 'id'],
  price: ['final_price', 'id'],
  stock: ['stock', 'id'],
  createdAt: ['created_at', 'id'],
  id: ['id'],
} as const satisfies SortFields<ProductsTable>

export type ProductAttributesTable = {
  product_id: number
  source: StoredAttribute['source']
  position: number
  name: string
  value: string
}

/** History of the supplier's stock figure: a row for each change. */
export type StockTable = {
  id: GeneratedAlways<number>
  product_id: number
  quantity: number
  recorded_at: ColumnType<Date, Date | undefined, never>
}

/** External ids of products that staff deleted: the sync doesn't bring them back. */
export type DeletedProductsTable = {
  external_id: string
  deleted_at: Generated<Date>
}
