import type { ColumnType, Generated, GeneratedAlways, Selectable } from 'kysely'
import type { AttributeSettings, StoredAttribute } from '../../src/rules/catalogue/attributes.ts'
import type { ProductOverride } from '../../src/rules/catalogue/product-fields.ts'
import type { Amount, Edited, JsonObject } from './columns.ts'

export const FILTER_TARGETS = ['name', 'path'] as const

export type SlugKind = 'product' | 'category' | 'tag' | 'brand'

export interface CatalogueTables {
  products: Edited & {
    external_id: string | null
    name: string
    /** The sort key of names: lower case, ё as е, truncated to 650 characters to fit an index entry. */
    search_name: GeneratedAlways<string>
    slug: string
    description: string | null
    /** Null when the supplier gave none. */
    price: Amount<null>
    site_price: Amount<null>
    final_price: GeneratedAlways<string | null>
    stock: Generated<number>
    supplier_active: Generated<boolean>
    /** Staff's decision, which survives every sync; null leaves it to the supplier. */
    active_override: boolean | null
    active: GeneratedAlways<boolean>
    category_id: number | null
    brand_id: number | null
    /** The supplier's ids, also where staff override the category or brand; one that arrives later is linked then. */
    category_external_id: string | null
    brand_external_id: string | null
    page_url: string | null
    /** Fields that staff set; what the supplier says of them is stored beside them. */
    overrides: ColumnType<ProductOverride[], ProductOverride[] | undefined>
    /** Null: not overridden, or not known before the next sync. */
    supplier_name: string | null
    supplier_description: string | null
    meta_title: string | null
    meta_description: string | null
    supplier_updated_at: Date | null
  }
  product_attributes: {
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
  attribute_settings: AttributeSettings & { name: string; version: Generated<number> }
  /** History of the stock figure: a row for each change. */
  stock: {
    id: GeneratedAlways<number>
    product_id: number
    quantity: number
    recorded_at: ColumnType<Date, Date | undefined, never>
  }
  /** Supplier's ids of products that staff deleted, which the sync skips. */
  deleted_products: {
    external_id: string
    /** Null if it was deleted before names were recorded. */
    name: string | null
    deleted_at: Generated<Date>
  }
  /** Units ordered in the last 90 days, counted by a job. */
  product_sales: {
    product_id: number
    quantity: number
  }
  categories: Edited & {
    external_id: string | null
    name: string
    slug: string
    parent_id: number | null
    /** The supplier's id of the parent, which may arrive later. */
    parent_external_id: string | null
    enabled: Generated<boolean>
    show_in_homepage: Generated<boolean>
    display_order: Generated<number>
    category_locked_by_gbstore: Generated<boolean>
    auto_hidden_by_visibility_sync: Generated<boolean>
    icon: string | null
    hidden_reason: string | null
    meta_title: string | null
    meta_description: string | null
    seo_text_doc: JsonObject | null
    supplier_updated_at: Date | null
  }
  /** Supplier's ids of categories that staff deleted, which the sync skips. */
  deleted_categories: { external_id: string; deleted_at: Generated<Date> }
  /** Hide categories by name, or by path from the root. */
  category_regex_filters: Edited & {
    pattern: string
    target: (typeof FILTER_TARGETS)[number]
    active: Generated<boolean>
  }
  brands: Edited & {
    external_id: string | null
    name: string
    /** Null: added by a version without slugs, until the next sync. */
    slug: string | null
    description: string | null
    image_id: number | null
    /** The supplier's name where staff set another; null: `name` is the supplier's. */
    supplier_name: string | null
    supplier_updated_at: Date | null
  }
  tags: Edited & {
    name: string
    slug: string
    enabled: Generated<boolean>
    meta_title: string | null
    meta_description: string | null
    seo_text_doc: JsonObject | null
  }
  product_tags: {
    product_id: number
    tag_id: number
  }
  /** Every current and former slug: one key for uniqueness, lookup and redirect. */
  slug_history: {
    kind: SlugKind
    slug: string
    entity_id: number
    /** The slug without its suffix `-2`, `-3`…, and that number or 1: an index finds the next free one. */
    base: string
    suffix: number
    created_at: Generated<Date>
  }
}

export type CategoryRow = Selectable<CatalogueTables['categories']>
export type BrandRow = Selectable<CatalogueTables['brands']>
