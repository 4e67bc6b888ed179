import { findProduct, findProductBySlug, findPublicProduct } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { ProductCard } from '../../schemas/products.ts'
import { answer, answerBySlug, type BySlug, showing } from './answers.ts'
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

/** The card of the product that has or had the slug. @throws AppError 404 */
export function getProductBySlug(deps: CardDeps, slug: string, staff: boolean): Promise<BySlug> {
  return answerBySlug(deps, 'product', slug, staff, {
    async find() {
      const owner = await findProductBySlug(deps.db, slug)
      return owner && (staff || owner.active) ? owner : null
    },
    get: (id) => getProduct(deps, id, staff),
  })
}

async function loadCard(deps: CardDeps, id: number, staff: boolean): Promise<ProductCard> {
  const context = await productContext(deps, staff)
  const row = await (staff ? findProduct : findPublicProduct)(deps.db, id)
  if (row === undefined || !(staff || row.active)) throw notFound('product')
  return toCard(row, context)
}
