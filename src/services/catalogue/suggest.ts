import { listBrands } from '../../../db/queries/catalogue/brands.ts'
import { findOffers, type OfferRow } from '../../../db/queries/stock/availability.ts'
import type { Deps, SuggestedNames } from '../../deps.ts'
import { normalise, otherLayout, readSearch } from '../../rules/catalogue/search.ts'
import { imageUrlOf } from '../../rules/media/downloads.ts'
import { toAmount } from '../../rules/money.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { SuggestedProduct, Suggestions, SuggestQuery } from '../../schemas/product-search.ts'
import { answer } from './answers.ts'
import { categoryTree } from './categories.ts'
import { toReference } from './product-json.ts'

/**
 * Completes a search (contract section 4). If nothing begins with it, tries the other keyboard layout, then a correction.
 * @throws AppError 429 for too many corrections
 */
export async function suggest(deps: Deps, { q, limit }: SuggestQuery): Promise<EncodedBody> {
  const version = await deps.productSearch.rankVersion()
  const key = `suggest ${limit} ${version} ${normalise(q.trimStart())}`
  return answer(deps, key, false, async () => {
    for (const text of [q, otherLayout(q)]) {
      const found = await complete(deps, text, limit)
      if (Object.values(found).some(({ length }) => length > 0)) return found
    }
    const corrected = await deps.productSearch.correct(readSearch(q))
    return corrected === null ? NOTHING : complete(deps, corrected, limit)
  })
}

const NOTHING: Suggestions = { words: [], categories: [], brands: [], products: [] }

async function complete(deps: Deps, q: string, limit: number): Promise<Suggestions> {
  const typed = readSearch(q)
    .flatMap(({ words }) => words)
    .flatMap(({ text, literal }) => (literal ? [] : [text]))
  if (typed.length === 0) return NOTHING
  // After a space the last word is complete.
  const found = await deps.productSearch.suggest(typed, { complete: !/\s$/u.test(q), limit })
  const [products, { categories, brands }] = await Promise.all([
    findOffers(deps.db, found.ids),
    deps.cached.suggested.get('names', () => loadNames(deps)),
  ])
  const matching = <T>(all: { words: string; record: T }[]): T[] =>
    all
      .filter(({ words }) => typed.every((text) => words.includes(` ${text}`)))
      .slice(0, limit)
      .map(({ record }) => record)
  return {
    words: found.words.map((word) => [...typed.slice(0, -1), word].join(' ')),
    categories: matching(categories),
    brands: matching(brands),
    products: found.ids.flatMap((id) => products.get(id) ?? []).map(toSuggested),
  }
}

function toSuggested({ id, name, slug, final_price, image_id }: OfferRow): SuggestedProduct {
  return { id, name, slug, price: toAmount(final_price), imageUrl: imageUrlOf(image_id) }
}

async function loadNames(deps: Deps): Promise<SuggestedNames> {
  const tree = await categoryTree(deps)
  const visible = [...tree.byId.values()].filter((category) => category.visible)
  const withProducts = (await listBrands(deps.db)).filter((brand) => brand.product_count > 0)
  return {
    categories: visible.map((category) => byWords(toReference(category))),
    brands: withProducts.map(({ id, name, slug }) => byWords({ id, name, slug })),
  }
}

function byWords<T extends { name: string }>(record: T): { words: string; record: T } {
  return { words: ` ${normalise(record.name)}`, record }
}
