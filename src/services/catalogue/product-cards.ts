import { findProduct, findProductBySlug, findPublicProduct } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { answer, type BySlug, showing } from './answers.ts'
import { productContext, toCard } from './product-json.ts'

type CardDeps = Pick<Deps, 'db' | 'cached'>

/** @throws AppError 404, for the public also when the product is inactive */
export function getProduct(deps: CardDeps, id: number, staff: boolean): Promise<EncodedBody> {
  return answer(deps, `product ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card)
  })
}

/** The attributes of the card. @throws AppError 404 as getProduct */
export function getProductAttributes(deps: CardDeps, id: number, staff: boolean): Promise<EncodedBody> {
  return answer(deps, `attributes ${id}`, staff, async () => {
    const card = await loadCard(deps, id, staff)
    return showing(card, card.attributes)
  })
}

/**
 * The card of the product that has or had the slug (contract section 4, "Slugs").
 * @throws AppError 404
 */
export async function getProductBySlug(deps: CardDeps, slug: string, staff: boolean): Promise<BySlug> {
  const find = async () => {
    const found = await findProductBySlug(deps.db, slug)
    return found && (staff || found.active) ? { id: found.id, slug: found.slug } : null
  }
  const found = await (staff ? find() : deps.cached.slugs.get(`product ${slug}`, find))
  if (found === null) throw notFound('product')
  return found.slug === slug ? { body: await getProduct(deps, found.id, staff) } : { movedTo: found.slug }
}

async function loadCard(deps: CardDeps, id: number, staff: boolean): Promise<ProductCard> {
  const context = await productContext(deps, staff)
  const row = await (staff ? findProduct : findPublicProduct)(deps.db, id)
  if (row === undefined || !(staff || row.active)) throw notFound('product')
  return toCard(row, context)
}
