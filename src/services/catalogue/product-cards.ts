import { findProduct, findProductBySlug, findShownProduct } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { JsonBytes } from '../../runtime/cache/json-bytes.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { answer, type BySlug, showing } from './answers.ts'
import { productContext, toCard, toStaffCard } from './product-json.ts'

type Reading = Pick<Deps, 'db' | 'cached'>

/**
 * A product's card as JSON.
 * @throws AppError 404 when there is none, or an inactive one that the caller may not see
 */
export function getProduct(deps: Reading, id: number, staff: boolean): Promise<JsonBytes> {
  return answer(deps, `product ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card)
  })
}

/** A product's attributes as JSON; visible to whom the card is. */
export function getProductAttributes(deps: Reading, id: number, staff: boolean): Promise<JsonBytes> {
  return answer(deps, `attributes ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card.attributes)
  })
}

/** The card by a slug that the product has or had (contract section 4, "Slugs"). @throws AppError 404 */
export async function getProductBySlug(deps: Reading, slug: string, staff: boolean): Promise<BySlug> {
  const find = async () => {
    const found = await findProductBySlug(deps.db, slug)
    return found && (staff || found.active) ? { id: found.id, slug: found.slug } : null
  }
  const found = await (staff ? find() : deps.cached.slugs.get(`product ${slug}`, find))
  if (found === null) throw notFound('product')
  return found.slug === slug ? { json: await getProduct(deps, found.id, staff) } : { movedTo: found.slug }
}

async function loadCard(deps: Reading, id: number, staff: boolean): Promise<ProductCard> {
  const context = await productContext(deps, staff)
  if (staff) {
    const row = await findProduct(deps.db, id)
    if (row === undefined) throw notFound('product')
    return toStaffCard(row, row.attributes, context)
  }
  const row = await findShownProduct(deps.db, id)
  if (!row?.active) throw notFound('product')
  return toCard(row, row.attributes, context)
}
