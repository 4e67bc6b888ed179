import { listBrands } from '../../../db/queries/catalogue/brands.ts'
import { suggestProducts, suggestWords } from '../../../db/queries/catalogue/search.ts'
import type { Deps, SuggestedNames } from '../../deps.ts'
import { normalise, otherLayout, readSearch } from '../../rules/catalogue/search.ts'
import type { Suggestions, SuggestQuery } from '../../schemas/suggest.ts'
import { answer, counted, type JsonBytes } from './answers.ts'
import { categoryTree } from './categories.ts'
import { toReference } from './product-json.ts'

type Reading = Pick<Deps, 'db' | 'cached'>

/** Completes what is being typed (contract section 4), in the other keyboard layout where nothing begins so. */
export function suggest(deps: Reading, { q, limit }: SuggestQuery): Promise<JsonBytes> {
  const key = `suggest ${limit} ${normalise(q.trimStart())}`
  return answer(deps, key, false, async () => {
    const typed = await complete(deps, q, limit)
    const found = isEmpty(typed) ? await complete(deps, otherLayout(q), limit) : typed
    return counted(found)
  })
}

function isEmpty({ words, categories, brands, products }: Suggestions): boolean {
  return words.length + categories.length + brands.length + products.length === 0
}

async function complete(deps: Reading, q: string, limit: number): Promise<Suggestions> {
  const typed = readSearch(q)
    .flatMap(({ words }) => words)
    .flatMap(({ text, literal }) => (literal ? [] : [text]))
  const last = typed.at(-1)
  if (last === undefined) return { words: [], categories: [], brands: [], products: [] }
  const before = typed.slice(0, -1)
  const [words, products, { categories, brands }] = await Promise.all([
    // Behind a space the last word is complete: nothing continues it.
    /\s$/u.test(q) ? [] : suggestWords(deps.db, before, last, limit),
    suggestProducts(deps.db, typed, limit),
    deps.cached.suggested.get('names', () => loadNames(deps)),
  ])
  const begins = ({ words }: { words: string }) => typed.every((text) => words.includes(` ${text}`))
  return {
    words: words.map((word) => [...before, word].join(' ')),
    categories: categories
      .filter(begins)
      .slice(0, limit)
      .map(({ record }) => record),
    brands: brands
      .filter(begins)
      .slice(0, limit)
      .map(({ record }) => record),
    products,
  }
}

async function loadNames(deps: Reading): Promise<SuggestedNames> {
  const tree = await categoryTree(deps)
  const visible = [...tree.byId.values()].filter((category) => category.visible)
  const withProducts = (await listBrands(deps.db)).filter((brand) => brand.product_count)
  return {
    categories: visible.map((category) => named(toReference(category))),
    brands: withProducts.map(({ id, name }) => named({ id, name })),
  }
}

function named<T extends { name: string }>(record: T): { words: string; record: T } {
  return { words: ` ${normalise(record.name)}`, record }
}
