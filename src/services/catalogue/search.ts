import type { ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import { countProducts, findUnknownWords } from '../../../db/queries/catalogue/products.ts'
import type { Deps } from '../../deps.ts'
import { mayBeMisspelt } from '../../rules/catalogue/search.ts'

/** How many products there are, and the filter that finds them: misspelt words are marked in it. */
export type FoundProducts = { filter: ProductFilter; total: number }

/**
 * Counts what a filter finds. A search that finds nothing takes the words that no product has for misspelt ones and
 * tries again with what looks like them (contract section 4, "search").
 */
export async function findMatches({ db }: Pick<Deps, 'db'>, filter: ProductFilter): Promise<FoundProducts> {
  const total = await countProducts(db, filter)
  const suspects = filter.words.map(({ text }) => text).filter(mayBeMisspelt)
  if (total > 0 || suspects.length === 0) return { filter, total }

  const unknown = new Set(await findUnknownWords(db, suspects))
  if (unknown.size === 0) return { filter, total }
  const words = filter.words.map(({ text }) => ({ text, misspelt: unknown.has(text) }))
  const corrected = { ...filter, words }
  return { filter: corrected, total: await countProducts(db, corrected) }
}
