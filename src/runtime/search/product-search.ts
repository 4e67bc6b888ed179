import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import type { ProductFilter } from '../../rules/catalogue/product-filter.ts'
import { type SearchToken, type SearchWord, spellingsOf, wordsOfTokens } from '../../rules/catalogue/search.ts'
import type { Caches } from '../cache/caches.ts'
import type { IsFacet } from './attributes.ts'
import { findCorrection } from './correction.ts'
import { createLiveIndex, type LiveIndexDeps } from './live-index.ts'
import type { FacetCounts, ProductIndex, SearchPage } from './product-index.ts'

/** Called before a search is corrected, which costs much. @throws AppError 429 */
export type CorrectionLimit = () => Promise<void>

/** For staff, and for requests that are limited as a whole. */
export const UNLIMITED: CorrectionLimit = async () => {}

type Correction = { tokens: SearchToken[]; text: string }

/** Names that show how a word is usually spelled. */
const MAX_EXAMPLES = 10

const ALL_IDS: SearchPage = { order: { field: 'id', descending: false }, page: 0, size: Number.MAX_SAFE_INTEGER }

/** Finds products for lists, searches and facets in memory (docs/search.md). All methods throw when the database fails. */
export function createProductSearch(deps: LiveIndexDeps & { caches: Caches }) {
  const { db, caches } = deps
  const live = createLiveIndex(deps)
  /** Keyed by search; null: no correction. */
  const corrections = caches.create<Correction | null>('corrections')

  /** Reads the stems of words that the index doesn't know. */
  async function readStems({ words }: ProductIndex, searched: SearchWord[]): Promise<void> {
    const all = searched.flatMap((word) => [word, ...word.parts, ...word.parts.flatMap(({ parts }) => parts)])
    const unknown = all.filter(({ text, literal }) => !literal && words.stemOf(text) === undefined)
    const texts = unknown.map(({ text }) => text)
    words.learnStems(await findStems(db, texts))
  }

  /** The index, once it knows the stems of the filter's words. */
  async function indexFor({ tokens }: ProductFilter): Promise<ProductIndex> {
    const index = await live.current()
    await readStems(index, wordsOfTokens(tokens))
    return index
  }

  async function correct(
    index: ProductIndex,
    tokens: SearchToken[],
    limit: CorrectionLimit,
  ): Promise<Correction | null> {
    const key = tokens.map(({ raw }) => raw).join(' ')
    return corrections.get(key, async () => {
      await limit()
      const words = await findCorrection(index, tokens, (missing) => readStems(index, missing))
      if (words === null) return null
      const text = withoutRepeats(words).map((word) => spell(index, word.text))
      return { tokens: [{ raw: '', words }], text: text.join(' ') }
    })
  }

  /** The filter with another search for one that found nothing; null if there is no correction. */
  async function correctFilter(index: ProductIndex, filter: ProductFilter, limit: CorrectionLimit) {
    const correction = filter.tokens.length === 0 ? null : await correct(index, filter.tokens, limit)
    if (correction === null) return null
    const { tokens, text } = correction
    await readStems(index, wordsOfTokens(tokens))
    return { filter: { ...filter, tokens }, text }
  }

  return {
    /** `corrected`: the search that was used because the given one finds nothing. */
    async page(filter: ProductFilter, page: SearchPage, limit: CorrectionLimit) {
      const index = await indexFor(filter)
      if (page.order !== 'match' && page.order.field === 'name') await live.rankNames(index)
      const found = index.find(filter, page)
      const better = found.total > 0 ? null : await correctFilter(index, filter, limit)
      if (better === null) return { ...found, corrected: null }
      return { ...index.find(better.filter, page), corrected: better.text }
    },
    /** The ids of all products that match; nothing is corrected. */
    async ids(filter: ProductFilter): Promise<number[]> {
      return (await indexFor(filter)).find(filter, ALL_IDS).ids
    },
    /** @param isFacet which attributes to count */
    async facets(filter: ProductFilter, isFacet: IsFacet, limit: CorrectionLimit): Promise<FacetCounts> {
      const index = await indexFor(filter)
      const better = index.count(filter) > 0 ? null : await correctFilter(index, filter, limit)
      return index.countFacets(better?.filter ?? filter, isFacet)
    },
    /**
     * @param words typed; the last one may be incomplete
     * @param options.complete whether to complete the last word
     */
    async suggest(words: SearchWord[], { complete, limit }: { complete: boolean; limit: number }) {
      const index = await live.current()
      const found = index.suggest(words, limit)
      const completed = complete ? found.words : []
      return { ids: found.ids, words: completed.map((word) => spell(index, word).toLowerCase()) }
    },
    /** What to search for instead of a search that finds nothing, spelled as in names; null if nothing is better. */
    async correct(tokens: SearchToken[], limit: CorrectionLimit): Promise<string | null> {
      return (await correct(await live.current(), tokens, limit))?.text ?? null
    },
    rankVersion: live.rankVersion,
    start: live.start,
  }
}

/** The word as most of a few names with it spell it. */
function spell(index: ProductIndex, word: string): string {
  const all = index.namesWith(word, MAX_EXAMPLES).flatMap(spellingsOf)
  const same = all.filter(([normalised]) => normalised === word)
  const bySpelling = Map.groupBy(same, ([, spelling]) => spelling)
  const [most] = [...bySpelling].sort(([, a], [, b]) => b.length - a.length)
  return most?.[0] ?? word
}

/** Drops the words that a part with signs repeats. */
function withoutRepeats(words: SearchWord[]): SearchWord[] {
  const parts = words.filter(({ literal }) => literal)
  return words.filter((word) => word.literal || !parts.some(({ text }) => text.includes(word.text)))
}
