import type { CardRow, ProductRow } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { mergeAttributes } from '../../rules/catalogue/attributes.ts'
import { ancestorsOf } from '../../rules/catalogue/category-tree.ts'
import { priceInWords, resolveSeo } from '../../rules/catalogue/seo.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { isAvailable } from '../../rules/stock/pricing.ts'
import { Product, ProductCard } from '../../schemas/products.ts'
import { settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
import { brandLinks } from './brands.ts'
import { categoryTree, type Placed } from './categories.ts'

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

/** Contract section 4, "Product JSON". */
export function toProduct(row: ProductRow, context: ProductContext): Product {
  return toWire(Product, completed(row, context), context.staff)
}

/** A product with everything on its page. */
export function toCard(row: CardRow, context: ProductContext): ProductCard {
  const category = shownCategory(row, context)
  const parts = {
    attributes: mergeAttributes(row.attributes),
    breadcrumbs: category === null ? [] : [...ancestorsOf(category), category].map(toReference),
  }
  return toWire(ProductCard, { ...completed(row, context), ...parts }, context.staff)
}

/** The row with the computed members of its JSON. */
function completed(row: ProductRow, context: ProductContext) {
  const placed = shownCategory(row, context)
  const category = placed && toReference(placed)
  const brand = (row.brand_id !== null && context.brands.get(row.brand_id)) || null
  return {
    ...row,
    available: isAvailable(row),
    category,
    brand,
    images: row.images.map(({ id, ...image }) => ({ id, url: imageUrl(id), ...image, alt: row.name })),
    seo: resolveSeo('product', row, context.config, {
      category: category?.name ?? null,
      brand: brand?.name ?? null,
      price: priceInWords(row.final_price, context.config.shop_currency),
    }),
    tags: row.tags.filter(({ enabled }) => context.staff || enabled).map(({ id, name, slug }) => ({ id, name, slug })),
  }
}

/** The product's category; null for the public when it is hidden. */
function shownCategory(row: ProductRow, { tree, staff }: ProductContext) {
  const placed = row.category_id === null ? undefined : tree.byId.get(row.category_id)
  return placed && (staff || placed.visible) ? placed : null
}

export function toReference({ row: { id, name, slug } }: Placed) {
  return { id, name, slug }
}
