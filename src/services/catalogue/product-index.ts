import type { ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import {
  findIndexedProducts,
  findStems,
  type IndexedProductRow,
  listIndexedProducts,
} from '../../../db/queries/catalogue/product-index.ts'
import { listIdsByName } from '../../../db/queries/catalogue/products.ts'
import { listTaggedProducts } from '../../../db/queries/catalogue/tags.ts'
import type { Deps } from '../../deps.ts'
import { type SearchWord, wordsOfName } from '../../rules/catalogue/search.ts'
import { minorAround, minorOf } from '../../rules/money.ts'
import type { IndexFilter } from '../../runtime/search/column-store.ts'
import {
  createProductColumns,
  type IndexedProduct,
  type ProductColumns,
} from '../../runtime/search/product-columns.ts'
import type { SoughtWord } from '../../runtime/search/words.ts'

type IndexDeps = Pick<Deps, 'db' | 'cached' | 'productIndex'>

/** Products read at a time when all of them are, or many. */
const BATCH = 500
/** So many that changed are read at once, and not by whoever asks next. */
const MANY_STALE = 200

/**
 * All products, as they are now.
 * @throws Error when the database does not answer
 */
export async function currentProducts(deps: IndexDeps): Promise<ProductColumns> {
  await refreshIndex(deps)
  return deps.productIndex.index.columns
}

/** All products, as they are now; null while all of them would have to be read first, which is begun then. */
export async function productsAtHand(deps: IndexDeps): Promise<ProductColumns | null> {
  const { index, refreshing } = deps.productIndex
  if (!index.ready) {
    if (refreshing === undefined) refreshIndex(deps).catch(() => {})
    return null
  }
  const products = await currentProducts(deps)
  return index.ready ? products : null
}

/** Reads beside what has changed, if that is much: a start, a load, a bulk edit. */
export function catchUp(deps: IndexDeps & Pick<Deps, 'tasks' | 'log'>): void {
  const { index } = deps.productIndex
  if (!index.trusted || index.staleCount < MANY_STALE) return
  deps.tasks
    .run(() => refreshIndex(deps))
    .catch((error: unknown) => deps.log.warn({ err: error }, 'products in memory not brought up to date'))
}

/** Brings the index up to date with what changed since it was looked at last. */
function refreshIndex(deps: IndexDeps): Promise<void> {
  const { productIndex } = deps
  const { index } = productIndex
  if (index.expired) rereadBeside(deps)
  if (productIndex.refreshing === undefined && index.staleCount === 0) return Promise.resolve()
  // One that is under way may have read before the caller's change; the next one is for all who come meanwhile.
  productIndex.next ??= (productIndex.refreshing ?? Promise.resolve())
    .catch(() => {})
    .then(() => {
      const refreshing = reread(deps).finally(() => {
        if (productIndex.refreshing === refreshing) productIndex.refreshing = undefined
      })
      productIndex.refreshing = refreshing
      productIndex.next = undefined
      return refreshing
    })
  return productIndex.next
}

async function reread(deps: IndexDeps): Promise<void> {
  const { index } = deps.productIndex
  const stale = index.takeStale()
  try {
    if (stale === 'all') return await rereadAll(deps)
    const { columns } = index
    for (const ids of inBatches([...stale])) {
      const rows = await findIndexedProducts(deps.db, ids)
      const gone = new Set(ids)
      for (const { id } of rows) gone.delete(id)
      columns.remove(gone)
      await put(deps, columns, rows)
    }
  } catch (error) {
    index.forget()
    throw error
  }
}

function inBatches(ids: number[]): number[][] {
  const count = Math.ceil(ids.length / BATCH)
  return Array.from({ length: count }, (_, batch) => ids.slice(batch * BATCH, (batch + 1) * BATCH))
}

/** Nobody waits for it: until it is done what is there is right, but for what was written past the service. */
function rereadBeside(deps: IndexDeps): void {
  const { productIndex } = deps
  productIndex.rereading ??= renewAll(deps)
    .catch(() => {})
    .finally(() => {
      productIndex.rereading = undefined
    })
}

function rereadAll(deps: IndexDeps): Promise<void> {
  return deps.productIndex.index.replace(async () => {
    const columns = createProductColumns()
    for (let after = 0; ; ) {
      const rows = await listIndexedProducts(deps.db, after, BATCH)
      await put(deps, columns, rows)
      after = rows.at(-1)?.id ?? 0
      if (rows.length < BATCH) return columns
    }
  })
}

/** In their places, a part after the other: a second index beside the first would take as much memory again. */
async function renewAll(deps: IndexDeps): Promise<void> {
  const { index } = deps.productIndex
  if (index.columns.wasteful) return rereadAll(deps)
  for (let after = 0; after < Number.POSITIVE_INFINITY; ) {
    await index.renew(async () => {
      const from = after
      const rows = await listIndexedProducts(deps.db, from, BATCH)
      const stemOf = await stemsOf(deps, index.columns, rows)
      const last = rows.length < BATCH ? undefined : rows.at(-1)?.id
      after = last ?? Number.POSITIVE_INFINITY
      return (columns) => {
        const present = new Set(rows.map(({ id }) => id))
        columns.remove(columns.idsBetween(from, after).filter((id) => !present.has(id)))
        columns.put(rows.map(toIndexed), stemOf)
      }
    })
  }
  index.renewed()
}

async function put(deps: IndexDeps, columns: ProductColumns, rows: IndexedProductRow[]): Promise<void> {
  const stemOf = await stemsOf(deps, columns, rows)
  columns.put(rows.map(toIndexed), stemOf)
}

/** The stems of the words of names; only those are asked for that no name has. */
async function stemsOf(
  deps: IndexDeps,
  columns: ProductColumns,
  rows: IndexedProductRow[],
): Promise<(word: string) => string> {
  const known = deps.productIndex.index.columns.words
  const stemOf = (word: string) => columns.words.stemOf(word) ?? known.stemOf(word)
  const words = new Set(rows.flatMap(({ name }) => wordsOfName(name)))
  const strange = [...words].filter((word) => stemOf(word) === undefined)
  const stems = strange.length > 0 ? await findStems(deps.db, strange) : new Map<string, string>()
  return (word) => stemOf(word) ?? stems.get(word) ?? ''
}

function toIndexed(row: IndexedProductRow): IndexedProduct {
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    categoryId: row.category_id,
    brandId: row.brand_id,
    price: row.final_price === null ? null : Number(minorOf(row.final_price)),
    available: row.available,
    stock: row.stock,
    createdAt: row.created_at,
    sold: row.sold,
    attributes: row.attributes.flatMap((name, index, all) =>
      index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
    ),
  }
}

/** Sees to it that the products know the order of their names, unless one changes in that moment. */
export async function learnNames({ db, productIndex }: IndexDeps, products: ProductColumns): Promise<void> {
  productIndex.learning ??= products
    .learnNames(() => listIdsByName(db))
    .finally(() => {
      productIndex.learning = undefined
    })
  await productIndex.learning
}

/** The words as they are looked for: with their stems, of which only those of words that no name has are asked for. */
export async function lookUp(
  deps: IndexDeps,
  { words: known }: ProductColumns,
  words: SearchWord[],
): Promise<SoughtWord[]> {
  const strange = words.filter(({ text, literal }) => !literal && known.stemOf(text) === undefined)
  const stems = await deps.cached.stems.getAll(
    strange.map(({ text }) => text),
    (missing) => findStems(deps.db, missing),
  )
  return words.map((word) => ({ ...word, stem: known.stemOf(word.text) ?? stems.get(word.text) ?? '' }))
}

/** @param words looked up */
export async function toIndexFilter(
  { db }: Pick<Deps, 'db'>,
  filter: ProductFilter,
  words: SoughtWord[],
): Promise<IndexFilter> {
  const { active, categoryIds, brandIds, tagId, minPrice, maxPrice, inStock, attributes } = filter
  return {
    active,
    categoryIds: categoryIds && new Set(categoryIds),
    brandIds: brandIds && new Set(brandIds),
    minPrice: minPrice === null ? null : minorAround(minPrice).ceil,
    maxPrice: maxPrice === null ? null : minorAround(maxPrice).floor,
    inStock,
    attributes: new Map(attributes.map(({ name, values }) => [name, new Set(values)])),
    words,
    among: tagId === null ? null : new Set(await listTaggedProducts(db, tagId)),
  }
}
