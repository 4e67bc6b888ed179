import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { AttributeSettings, StoredAttribute } from '../../src/rules/catalogue/attributes.ts'
import type { ProductOverride } from '../../src/rules/catalogue/product-fields.ts'
import type { Edited } from './columns.ts'

export type ProductsTable = Edited & {
  external_id: string | null
  name: string
  /** The sort key of names: lower case, ё as е, truncated to 650 characters to fit an index entry. */
  search_name: GeneratedAlways<string>
  slug: string
  description: string | null
  /** Decimal text with two places; null when the supplier gave none. */
  price: string | null
  site_price: string | null
  final_price: GeneratedAlways<string | null>
  stock: Generated<number>
  supplier_active: Generated<boolean>
  /** Staff's decision, which survives every sync; null leaves it to the supplier. */
  active_override: boolean | null
  active: GeneratedAlways<boolean>
  category_id: number | null
  brand_id: number | null
  /** The supplier's ids, for categories and brands that arrive later. */
  category_external_id: string | null
  brand_external_id: string | null
  page_url: string | null
  /** Fields that the sync leaves alone. */
  overrides: ColumnType<ProductOverride[], ProductOverride[] | undefined>
  /** The supplier's values of overridden fields. */
  supplier_name: string | null
  supplier_description: string | null
  meta_title: string | null
  meta_description: string | null
  supplier_updated_at: Date | null
}

export type ProductAttributesTable = {
  product_id: number
  source: StoredAttribute['source']
  position: number
  /** Null: dropped by an attribute rule. */
  name: string | null
  /** The name that the supplier or the feed gives; null: no attribute rule applies to it. */
  supplier_name: string | null
  value: string
}

/** What staff decide about an attribute as a facet; null: by default. */
export type AttributeSettingsTable = AttributeSettings & { name: string }

/** History of the stock figure: a row for each change. */
export type StockTable = {
  id: GeneratedAlways<number>
  product_id: number
  quantity: number
  recorded_at: ColumnType<Date, Date | undefined, never>
}

/** Supplier's ids of products that staff deleted, which the sync skips. */
export type DeletedProductsTable = {
  external_id: string
  /** Null if it was deleted before names were recorded. */
  name: string | null
  deleted_at: Generated<Date>
}

/** Products whose descriptions were stored before descriptions were sanitised. */
export type UnsanitizedProductsTable = { product_id: number }

/** Units ordered in the last 90 days, counted by a job. */
export type ProductSalesTable = {
  product_id: number
  quantity: number
}
