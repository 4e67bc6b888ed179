import type { BrandLink } from '../../../db/queries/catalogue/brands.ts'
import type { CardRow, ProductRow } from '../../../db/queries/catalogue/products.ts'
import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { Deps } from '../../deps.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { ancestorsOf, type CategoryTree, type PlacedCategory } from '../../rules/catalogue/category-tree.ts'
import { priceInWords, resolveSeo } from '../../rules/catalogue/seo.ts'
import { imageUrl } from '../../rules/media/downloads.ts'
import { toAmount } from '../../rules/money.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import type { Product, ProductCard } from '../../schemas/products.ts'
import { settingValues } from '../settings/settings.ts'
import { brandLinks } from './brands.ts'
import { categoryTree } from './categories.ts'

/** What a product's JSON needs besides its row. */
export type ProductContext = {
  tree: CategoryTree<CategoryRow>
  brands: ReadonlyMap<number, BrandLink>
  config: SettingValues
  /** Staff also see hidden categories, disabled tags and staff-only fields. */
  staff: boolean
}

/** Reads the context. Call it before a transaction begins: inside one it may wait for a second connection. */
export async function productContext(deps: Deps, staff: boolean): Promise<ProductContext> {
  const tree = await categoryTree(deps)
  return { tree, brands: await brandLinks(deps), config: await settingValues(deps), staff }
}

/** Contract section 4, "Product JSON". */
export function toProduct(row: ProductRow, context: ProductContext): Product {
  const placed = shownCategory(row, context)
  const category = placed && toReference(placed)
  const brand = (row.brand_id !== null && context.brands.get(row.brand_id)) || null
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    price: toAmount(row.price),
    sitePrice: toAmount(row.site_price),
    finalPrice: toAmount(row.final_price),
    stock: row.stock,
    available: isAvailable(row),
    active: row.active,
    category,
    brand,
    images: row.images.map(({ id, ...image }) => ({
      id,
      url: imageUrl(id),
      ...image,
      alt: row.name,
    })),
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seo: resolveSeo('product', row, context.config, {
      category: category?.name ?? null,
      brand: brand?.name ?? null,
      price: priceInWords(row.final_price, context.config.shop_currency),
    }),
    tags: row.tags
      .filter(({ enabled }) => context.staff || enabled)
      .map(({ id, name, slug }) => ({ id, name, slug })),
    rating: row.rating,
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

/** A product with everything on its page. */
export function toCard(row: CardRow, context: ProductContext): ProductCard {
  const category = shownCategory(row, context)
  return {
    ...toProduct(row, context),
    attributes: mergeAttributes(row.attributes),
    breadcrumbs: category === null ? [] : [...ancestorsOf(category), category].map(toReference),
    ...(context.staff && { supplierDescription: row.supplier_description }),
  }
}

/** The product's category; null for the public when it is hidden. */
function shownCategory(row: ProductRow, { tree, staff }: ProductContext) {
  const placed = row.category_id === null ? undefined : tree.byId.get(row.category_id)
  return placed && (staff || placed.visible) ? placed : null
}

export function toReference({ row: { id, name, slug } }: PlacedCategory<CategoryRow>) {
  return { id, name, slug }
}
