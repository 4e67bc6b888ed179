import type { CardRow, ProductRow } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { ancestorsOf } from '../../rules/catalogue/category-tree.ts'
import { priceInWords, resolveSeo } from '../../rules/catalogue/seo.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { toAmount } from '../../rules/money.ts'
import { canonicalPath } from '../../rules/published/pages.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import type { Product, ProductCard, StaffProduct, StaffProductCard, SupplierValues } from '../../schemas/products.ts'
import { settingValues } from '../settings/settings.ts'
import { brandLinks } from './brands.ts'
import { categoryTree, toReference } from './categories.ts'

export type ProductContext = Awaited<ReturnType<typeof productContext>>

/**
 * Reads what a product's JSON needs besides its row. Call it before a transaction begins: inside one it may wait for a
 * second connection.
 * @param staff shows hidden categories, disabled tags and staff's fields, too
 */
export async function productContext(deps: Deps, staff: boolean) {
  const tree = await categoryTree(deps)
  return { tree, brands: await brandLinks(deps), config: await settingValues(deps), staff }
}

/** A product as the public sees it (docs/catalogue.md): what the shop pays for it is nobody's business. */
export function toProduct(row: ProductRow, context: ProductContext): Product {
  const category = shownCategory(row.category_id, context)
  const brand = brandOf(row.brand_id, context)
  return {
    id: row.id,
    externalId: row.external_id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    price: toAmount(row.final_price),
    finalPrice: toAmount(row.final_price),
    oldPrice: toAmount(row.old_price),
    stock: row.stock,
    available: isAvailable(row),
    active: row.active,
    category: category && toReference(category),
    brand,
    images: row.images.map(({ sha256, ...image }) => ({
      ...image,
      url: imageUrl({ id: image.id, sha256 }),
      alt: row.name,
    })),
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    seo: resolveSeo('product', row, context.config, {
      category: category?.row.name ?? null,
      brand: brand?.name ?? null,
      price: priceInWords(row.final_price, context.config.shop_currency),
    }),
    tags: row.tags.filter(({ enabled }) => context.staff || enabled).map(({ id, name, slug }) => ({ id, name, slug })),
    rating: row.rating,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

/** @param context of staff */
export function toStaffProduct(row: ProductRow, context: ProductContext): StaffProduct {
  return {
    ...toProduct(row, context),
    price: toAmount(row.price),
    sitePrice: toAmount(row.site_price),
    availableQuantity: Math.max(0, row.available_quantity),
    version: row.version,
    activeOverride: row.active_override,
    overrides: row.overrides,
  }
}

/** A product with everything on its page. */
export function toCard(row: CardRow, context: ProductContext): ProductCard {
  return { ...toProduct(row, context), ...cardParts(row, context) }
}

/** @param context of staff */
export function toStaffCard(row: CardRow, context: ProductContext): StaffProductCard {
  return { ...toStaffProduct(row, context), ...cardParts(row, context), supplier: toSupplierValues(row, context) }
}

/** What the supplier says of the fields that staff override. */
function toSupplierValues(row: CardRow, context: ProductContext): SupplierValues {
  const { overrides, supplier_name: name } = row
  const category = shownCategory(row.supplier_category_id, context)
  return {
    ...(overrides.includes('name') && name !== null && { name }),
    ...(overrides.includes('description') && { description: row.supplier_description }),
    ...(overrides.includes('categoryId') && { category: category && toReference(category) }),
    ...(overrides.includes('brandId') && { brand: brandOf(row.supplier_brand_id, context) }),
  }
}

function cardParts(row: CardRow, context: ProductContext) {
  const category = shownCategory(row.category_id, context)
  return {
    attributes: mergeAttributes(row.attributes),
    breadcrumbs: category === null ? [] : [...ancestorsOf(category), category].map(toReference),
    canonicalPath: canonicalPath('products', row, context.config),
  }
}

/** A category; null for the public when it is hidden. */
function shownCategory(id: number | null, { tree, staff }: ProductContext) {
  const placed = id === null ? undefined : tree.byId.get(id)
  return placed && (staff || placed.visible) ? placed : null
}

function brandOf(id: number | null, { brands }: ProductContext) {
  return (id !== null && brands.get(id)) || null
}
