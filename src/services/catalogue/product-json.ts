import type { AttributeRow, ProductRow } from '../../../db/queries/catalogue/products.ts'
import type { CategoryRow } from '../../../db/tables/categories.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { ancestorsOf, type CategoryTree, type PlacedCategory } from '../../rules/catalogue/category-tree.ts'
import { priceInWords, resolveSeo } from '../../rules/catalogue/seo.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import type { Product, ProductCard } from '../../schemas/products.ts'

/** What a product's JSON draws on beside its row. */
export type ProductContext = {
  tree: CategoryTree<CategoryRow>
  config: SettingValues
  /** Staff also see hidden categories, disabled tags, and what helps them with editing. */
  staff: boolean
}

/** Contract section 4, "Product JSON". */
export function toProduct(row: ProductRow, context: ProductContext): Product {
  const placed = shownCategory(row, context)
  const category = placed && toReference(placed)
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    price: toMoney(row.price),
    sitePrice: toMoney(row.site_price),
    finalPrice: toMoney(row.final_price),
    stock: row.stock,
    available: isAvailable({
      active: row.active,
      finalPrice: row.final_price,
      availableQuantity: row.available_quantity,
    }),
    active: row.active,
    category,
    brand: row.brand_id === null ? null : { id: row.brand_id, name: row.brand_name ?? '' },
    images: row.images.map(({ id, displayOrder }) => ({ id, url: `/api/v1/images/${id}`, displayOrder })),
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seo: seoOf(row, category?.name ?? null, context.config),
    tags: row.tags
      .filter(({ enabled }) => context.staff || enabled)
      .map(({ id, name, slug }) => ({ id, name, slug })),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    ...(context.staff && {
      version: row.version,
      activeOverride: row.active_override,
      overrides: row.overrides,
      supplierName: row.supplier_name,
    }),
  }
}

/** A product with all that its page shows. */
export function toCard(row: ProductRow, attributes: AttributeRow[], context: ProductContext): ProductCard {
  const category = shownCategory(row, context)
  return {
    ...toProduct(row, context),
    attributes: mergeAttributes(attributes),
    breadcrumbs: category === null ? [] : [...ancestorsOf(category), category].map(toReference),
    ...(context.staff && { supplierDescription: row.supplier_description }),
  }
}

/** The product's category as the caller may see it: to the public a hidden one is none. */
function shownCategory(row: ProductRow, { tree, staff }: ProductContext): PlacedCategory<CategoryRow> | null {
  const placed = row.category_id === null ? undefined : tree.byId.get(row.category_id)
  return placed && (staff || placed.visible) ? placed : null
}

export function toReference({ row: { id, name, slug } }: PlacedCategory<CategoryRow>) {
  return { id, name, slug }
}

/** numeric(12,2) as JSON: up to fifteen digits a number prints back exactly. */
function toMoney(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal)
}

function seoOf(row: ProductRow, category: string | null, config: SettingValues): Product['seo'] {
  return resolveSeo(
    { metaTitle: row.meta_title, metaDescription: row.meta_description },
    { title: config.seo_product_title_template, description: config.seo_product_description_template },
    {
      name: row.name,
      category,
      brand: row.brand_name,
      price: priceInWords(row.final_price, config.shop_currency),
      siteName: config.site_name,
    },
  )
}
