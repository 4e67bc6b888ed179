import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import { listProductNames } from '../../../db/queries/catalogue/products.ts'
import { listTaggedProducts } from '../../../db/queries/catalogue/tags.ts'
import type { ProductFilter, ProductOrder } from '../../rules/catalogue/product-filter.ts'
import { type SearchToken, type SearchWord, spellingsOf } from '../../rules/catalogue/search.ts'
import { commonIds } from '../../rules/lists.ts'
import type { Caches } from '../cache/caches.ts'
import { requestContext } from '../request-context.ts'
import type { AttributeUse } from './attribute-pairs.ts'
import type { FacetCounts, IndexFilter } from './column-store.ts'
import { findCorrection } from './correction.ts'
import { createLiveIndex, type LiveIndexDeps } from './live-index.ts'
import type { ProductIndex } from './product-index.ts'
import type { IndexPage } from './sort-orders.ts'
import type { StemmedWord } from './words.ts'

type Correction = { words: StemmedWord[]; text: string }

/** Names that are read to find how a word is usually spelled. */
const MAX_EXAMPLES = 10

/** The cost of correcting a search, and of each of its words: bytes of a body that takes as long to parse. */
const CORRECTION_COST = 2048

const ALL_IDS = { order: 'id', descending: false, offset: 0, size: Number.MAX_SAFE_INTEGER } as const

/** `tokens`: the search; empty for a list. */
export type SearchFilter = ProductFilter & { tokens: SearchToken[] }

/** `match`: the best matches of the search first. */
type SearchPage = { order: ProductOrder | 'match'; page: number; size: number }

export type ProductSearch = ReturnType<typeof createProductSearch>

/** Finds products for lists, searches and facets in memory (contract section 4). All methods throw when the database fails. */
export function createProductSearch(deps: LiveIndexDeps & { caches: Caches }) {
  const { db, caches } = deps
  const live = createLiveIndex(deps)
  /** Keyed by search; null: no correction. */
  const corrections = caches.create<Correction | null>('corrections', { staleBy: ['product'] })

  async function withStems({ words: known }: ProductIndex, words: SearchWord[]): Promise<StemmedWord[]> {
    const unknown = words.filter(({ text, literal }) => !literal && known.stemOf(text) === undefined)
    const found = await findStems(
      db,
      unknown.map(({ text }) => text),
    )
    return words.map((word) => ({ ...word, stem: known.stemOf(word.text) ?? found.get(word.text) ?? '' }))
  }

  async function toIndexFilter(index: ProductIndex, filter: SearchFilter): Promise<IndexFilter> {
    const { tokens, tagId, ...same } = filter
    const ids = commonIds(filter.ids, tagId === null ? null : await listTaggedProducts(db, tagId))
    const article = tokens.map(({ raw }) => raw).join('')
    return { ...same, ids, article, words: await withStems(index, wordsOf(tokens)) }
  }

  async function correct(index: ProductIndex, tokens: SearchToken[]): Promise<Correction | null> {
    const key = tokens.map(({ raw }) => raw).join(' ')
    return corrections.get(key, async () => {
      requestContext.getStore()?.charge?.(CORRECTION_COST * (1 + wordsOf(tokens).length))
      const found = await findCorrection(index, tokens, (missing) => withStems(index, missing))
      if (found === null) return null
      const shown = withoutRepeats(found).map(({ text }) => text)
      const spellings = await spellingsOfWords(index, shown)
      return {
        words: found,
        text: shown.map((word) => spellings.get(word) ?? word).join(' '),
      }
    })
  }

  /** How most of a few names with each word spell it. */
  async function spellingsOfWords(index: ProductIndex, words: string[]): Promise<Map<string, string>> {
    const ids = words.flatMap((word) => index.examplesOf(word, MAX_EXAMPLES))
    const names = ids.length === 0 ? [] : await listProductNames(db, ids)
    const all = names.flatMap(({ name }) => spellingsOf(name))
    const byWord = Map.groupBy(all, ([word]) => word)
    return new Map(
      words.flatMap((word) => {
        const counts = Map.groupBy(byWord.get(word) ?? [], ([, spelling]) => spelling)
        const [most] = [...counts].sort(([, a], [, b]) => b.length - a.length)
        return most === undefined ? [] : [[word, most[0]]]
      }),
    )
  }

  /** The filter with other words for a search that found nothing; null if there is no correction. */
  async function correctFilter(index: ProductIndex, { tokens }: SearchFilter, filter: IndexFilter) {
    const correction = tokens.length === 0 ? null : await correct(index, tokens)
    if (correction === null) return null
    return { filter: { ...filter, words: correction.words, article: '' }, text: correction.text }
  }

  async function toIndexPage(index: ProductIndex, { order, page, size }: SearchPage): Promise<IndexPage> {
    const range = { offset: page * size, size }
    if (order === 'match') return { order, descending: false, ...range }
    const [by = 'id'] = order.columns
    const rows = by === 'name' ? await live.rowsByName(index) : by
    return { order: rows, descending: order.descending, ...range }
  }

  return {
    /** `corrected`: the search that was used because the given one finds nothing. */
    async page(search: SearchFilter, page: SearchPage) {
      const index = await live.current()
      const indexPage = await toIndexPage(index, page)
      const filter = await toIndexFilter(index, search)
      const found = index.find(filter, indexPage)
      const better = found.total > 0 ? null : await correctFilter(index, search, filter)
      if (better === null) return { ...found, corrected: null }
      return { ...index.find(better.filter, indexPage), corrected: better.text }
    },
    /** The ids of all products that match; nothing is corrected. */
    async ids(filter: SearchFilter): Promise<number[]> {
      const index = await live.current()
      return index.find(await toIndexFilter(index, filter), ALL_IDS).ids
    },
    /** @param isFacet which attributes to count */
    async facets(search: SearchFilter, isFacet: (attribute: AttributeUse) => boolean): Promise<FacetCounts> {
      const index = await live.current()
      const filter = await toIndexFilter(index, search)
      const better = index.count(filter) > 0 ? null : await correctFilter(index, search, filter)
      return index.countFacets(better?.filter ?? filter, isFacet)
    },
    /** The attributes of active products. */
    attributes: async (): Promise<AttributeUse[]> => (await live.current()).attributes(),
    /**
     * @param words what was typed; the last one may be incomplete
     * @param options.complete whether to complete the last word
     */
    async suggest(words: string[], { complete, limit }: { complete: boolean; limit: number }) {
      const index = await live.current()
      const [last = '', before] = [words.at(-1), words.slice(0, -1)]
      const completed = complete ? index.completeWord(last, before, limit) : []
      const spellings = await spellingsOfWords(index, completed)
      return {
        words: completed.map((word) => spellings.get(word)?.toLowerCase() ?? word),
        ids: index.suggest(words, limit),
      }
    },
    /** What to search for instead of a search that finds nothing, spelled as in names; null if nothing is better. */
    async correct(tokens: SearchToken[]): Promise<string | null> {
      return (await correct(await live.current(), tokens))?.text ?? null
    },
    rankVersion: live.rankVersion,
    start: live.start,
  }
}

/** Drops the words that a part with signs repeats. */
function withoutRepeats(words: SearchWord[]): SearchWord[] {
  const parts = words.filter(({ literal }) => literal)
  return words.filter((word) => word.literal || !parts.some(({ text }) => text.includes(word.text)))
}

function wordsOf(tokens: SearchToken[]): SearchWord[] {
  return tokens.flatMap(({ words }) => words)
}
