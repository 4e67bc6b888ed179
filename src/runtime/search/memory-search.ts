import type { ProductOrder } from '../../../db/queries/catalogue/product-filter.ts'
import { findStems } from '../../../db/queries/catalogue/product-index.ts'
import { listTaggedProducts } from '../../../db/queries/catalogue/tags.ts'
import type { ProductsTable } from '../../../db/tables/products.ts'
import type { SearchToken, SearchWord } from '../../rules/catalogue/search.ts'
import type { Caches } from '../cache/caches.ts'
import { EVERY_ACTIVE_INDEXED, type IndexFilter } from './column-store.ts'
import { findCorrection } from './correction.ts'
import { createLiveIndex, type LiveIndexDeps } from './live-index.ts'
import type { ProductIndex } from './product-index.ts'
import type { ProductSearch, SearchFilter, SearchPage } from './product-search.ts'
import type { IndexPage } from './sort-orders.ts'
import { createSqlSearch } from './sql-search.ts'
import type { StemmedWord } from './words.ts'

const NO_IDS = { order: 'id', descending: false, offset: 0, size: 0 } as const
const ALL_IDS = { ...NO_IDS, size: Number.MAX_SAFE_INTEGER }

/** Orders by their first column; names are sorted by the database. */
const ORDERS: { [column in keyof ProductsTable]?: 'id' | 'price' | 'stock' | 'createdAt' } = {
  id: 'id',
  final_price: 'price',
  stock: 'stock',
  created_at: 'createdAt',
}

/** Searches the index in memory; while it is loading, the database answers lists without a search. */
export function createProductSearch(deps: LiveIndexDeps & { caches: Caches }): ProductSearch {
  const { db, caches } = deps
  const live = createLiveIndex(deps)
  const sql = createSqlSearch(db)
  /** Stems of words that no name has. */
  const stems = caches.create<string>({ staleBy: [] })
  /** Keyed by search; null: no correction. */
  const corrections = caches.create<SearchWord[] | null>({ staleBy: ['product'] })

  async function withStems({ words: known }: ProductIndex, words: SearchWord[]): Promise<StemmedWord[]> {
    const unknown = words.filter(({ text, literal }) => !literal && known.stemOf(text) === undefined)
    const found = await stems.getAll(
      unknown.map(({ text }) => text),
      (missing) => findStems(db, missing),
    )
    return words.map((word) => ({ ...word, stem: known.stemOf(word.text) ?? found.get(word.text) ?? '' }))
  }

  async function toIndexFilter(index: ProductIndex, filter: SearchFilter): Promise<IndexFilter> {
    const { tokens, tagId, ...same } = filter
    const ids = tagId === null ? null : await listTaggedProducts(db, tagId)
    return { ...same, ids, words: await withStems(index, wordsOf(tokens)) }
  }

  async function correct(index: ProductIndex, tokens: SearchToken[]): Promise<StemmedWord[] | null> {
    const key = tokens.map(({ raw }) => raw).join(' ')
    const words = await corrections.get(key, () =>
      findCorrection(index, tokens, (missing) => withStems(index, missing)),
    )
    return words && withStems(index, words)
  }

  /** Finds products by the words of the search or, when they find nothing, by their correction. */
  async function findCorrecting<Found extends { total: number }>(
    index: ProductIndex,
    search: SearchFilter,
    find: (filter: IndexFilter) => Found,
  ): Promise<{ filter: IndexFilter; found: Found; corrected: string | null }> {
    const { tokens } = search
    const filter = await toIndexFilter(index, search)
    const found = find(filter)
    const words = found.total > 0 || tokens.length === 0 ? null : await correct(index, tokens)
    if (words === null) return { filter, found, corrected: null }
    const corrected = { ...filter, words }
    return { filter: corrected, found: find(corrected), corrected: words.map(({ text }) => text).join(' ') }
  }

  async function indexOrder(index: ProductIndex, order: ProductOrder | 'match'): Promise<IndexPage['order']> {
    if (order === 'match') return order
    return ORDERS[order.columns[0] ?? 'id'] ?? live.rowsByName(index)
  }

  async function toIndexPage(index: ProductIndex, { order, page, size }: SearchPage): Promise<IndexPage> {
    const descending = order !== 'match' && order.descending
    return { order: await indexOrder(index, order), descending, offset: page * size, size }
  }

  return {
    async page(search, page) {
      const index = await (search.tokens.length > 0 ? live.current() : live.currentIfLoaded())
      if (index === null) return sql.page(search, page)
      const indexPage = await toIndexPage(index, page)
      const { found, corrected } = await findCorrecting(index, search, (filter) =>
        index.find(filter, indexPage),
      )
      return { ...found, corrected }
    },
    async ids(tokens) {
      const index = await live.current()
      const words = await withStems(index, wordsOf(tokens))
      return index.find({ ...EVERY_ACTIVE_INDEXED, active: null, words }, ALL_IDS).ids
    },
    async facets(search) {
      const index = await live.current()
      const { filter } = await findCorrecting(index, search, (one) => index.find(one, NO_IDS))
      return index.countFacets(filter)
    },
    async suggest(words, { complete, limit }) {
      const index = await live.current()
      const [last = '', before] = [words.at(-1), words.slice(0, -1)]
      return {
        words: complete ? index.completeWord(last, before, limit) : [],
        ids: index.suggest(words, limit),
      }
    },
    rankVersion: live.rankVersion,
    start: live.start,
  }
}

function wordsOf(tokens: SearchToken[]): SearchWord[] {
  return tokens.flatMap(({ words }) => words)
}
