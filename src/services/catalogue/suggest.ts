import { listBrands } from '../../../db/queries/catalogue/brands.ts'
import { findShownOffers, type ShownOfferRow } from '../../../db/queries/stock/reservations.ts'
import type { Deps } from '../../deps.ts'
import { readSearch, type SearchWord, wordsOfName, wordsOfTokens } from '../../rules/catalogue/search.ts'
import { fold } from '../../rules/fold.ts'
import { imageUrl } from '../../rules/media/urls.ts'
import { toAmount } from '../../rules/money.ts'
import type { EncodedBody } from '../../runtime/cache/encoded-body.ts'
import type { CorrectionLimit } from '../../runtime/search/product-search.ts'
import { Suggestions, type SuggestQuery } from '../../schemas/product-search.ts'
import type { Link } from '../../schemas/products.ts'
import { answer } from './answers.ts'
import { categoryTree, toReference } from './categories.ts'

type NamedLink = ReturnType<typeof withWords>

/** Completes a search, or its correction if nothing begins with it (docs/search.md). @throws AppError 429 */
export async function suggest(
  deps: Deps,
  { q, limit }: SuggestQuery,
  correctionLimit: CorrectionLimit,
): Promise<EncodedBody> {
  const version = await deps.productSearch.rankVersion()
  const key = `suggest ${limit} ${version} ${fold(q)}${isComplete(q) ? ' ' : ''}`
  return answer(deps, key, Suggestions, async () => {
    const found = await complete(deps, q, limit)
    if (Object.values(found).some(({ length }) => length > 0)) return found
    const corrected = await deps.productSearch.correct(readSearch(q), correctionLimit)
    return corrected === null ? found : complete(deps, corrected, limit)
  })
}

async function complete(deps: Deps, q: string, limit: number): Promise<Suggestions> {
  const tokens = readSearch(q)
  const typed = wordsOfTokens(tokens).filter(({ literal }) => !literal)
  if (typed.length === 0) return { words: [], categories: [], brands: [], products: [] }
  const found = await deps.productSearch.suggest(typed, { complete: !isComplete(q), limit })
  const [products, { categories, brands }] = await Promise.all([
    findShownOffers(deps.db, found.ids),
    deps.cached.suggested.get('names', () => loadNames(deps)),
  ])
  const isMatch = ({ words }: NamedLink) => typed.every((word) => hasBeginning(words, word))
  const matching = (links: NamedLink[]) => {
    const first = links.filter(isMatch).slice(0, limit)
    return first.map(({ link }) => link)
  }
  const offered = found.ids.flatMap((id) => products.get(id) ?? [])
  return {
    words: found.words.map((word) => [...tokens.slice(0, -1).map(({ raw }) => raw), word].join(' ')),
    categories: matching(categories),
    brands: matching(brands),
    products: offered.filter(({ active }) => active).map(toSuggested),
  }
}

function toSuggested({ id, name, slug, final_price, image }: ShownOfferRow) {
  return { id, name, slug, price: toAmount(final_price), imageUrl: image && imageUrl(image) }
}

/** Whether the last word is: a space follows it. */
function isComplete(q: string): boolean {
  return /\s$/u.test(q)
}

function hasBeginning(words: string[], { text, parts }: SearchWord): boolean {
  const hasParts = parts.length > 0 && parts.every((part) => hasBeginning(words, part))
  return hasParts || words.some((word) => word.startsWith(text))
}

/** Visible categories, and brands that have products. */
async function loadNames(deps: Deps) {
  const tree = await categoryTree(deps)
  const visible = [...tree.byId.values()].filter((category) => category.visible)
  const withProducts = (await listBrands(deps.db)).filter((brand) => brand.product_count > 0)
  return {
    categories: visible.map(toReference).map(withWords),
    brands: withProducts.map(({ id, name, slug }) => withWords({ id, name, slug })),
  }
}

function withWords(link: Link) {
  return { link, words: wordsOfName(link.name) }
}
