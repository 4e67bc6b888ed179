import { get } from 'node:http'
import type { Db } from '../db/database.ts'
import { flatList, flatListByPrice, flatOrders, flatProducts } from './flat-table.ts'
import type { FlatCase, StatementCase } from './limit-server.ts'
import type { BenchRequest } from './load.ts'

/** What a case is compared with; a bare Fastify serves it, and `plain answer` the shop: the same without the headers. */
type Limit =
  | { kind: 'plain answer' }
  | { kind: 'memory' | 'file' }
  | { kind: 'flat table'; flat: FlatCase }
  | { kind: 'bare transaction'; statements: StatementCase }

/** One kind of request, its physical limit, and the share of the limit it must reach (null: no budget). */
export type HttpCase = { name: string; requests: BenchRequest[]; limit: Limit; budget: number | null }

/** Warm-up and each measurement get requests of their own, more than a cache of 1000 entries holds. */
const PIECES = 3
const DISTINCT = PIECES * 1500

const CACHED_LIST = '/api/v1/products?size=20'
const GZIP = { 'accept-encoding': 'gzip' }

/** Requests that caches answer. */
export async function warmCases(shopUrl: string, productId: number): Promise<HttpCase[]> {
  const limit = { kind: 'memory' } as const
  const ofPlain = { limit: { kind: 'plain answer' }, budget: 0.9 } as const
  const known = { 'if-none-match': (await fetch(shopUrl + CACHED_LIST)).headers.get('etag') ?? '' }
  return [
    { name: 'cached list', requests: [ask(CACHED_LIST)], limit, budget: 0.6 },
    { name: 'cached list, gzip', requests: [ask(CACHED_LIST, GZIP)], ...ofPlain },
    { name: 'cached list, If-None-Match', requests: [ask(CACHED_LIST, known)], ...ofPlain },
    { name: 'cached card', requests: [ask(`/api/v1/products/${productId}`)], limit, budget: 0.6 },
    { name: 'category tree', requests: [ask('/api/v1/categories/tree')], limit, budget: null },
    { name: 'feed, gzip', requests: [ask('/api/v1/yml-catalog.xml', GZIP)], limit, budget: null },
  ]
}

/** Requests that no cache can answer, over the catalogue in the database. */
export async function coldCases(db: Db, token: string): Promise<HttpCase[]> {
  const products = await db
    .selectFrom('products')
    .select(['id', 'search_name', 'final_price', 'category_id'])
    .where('active', '=', true)
    .orderBy('id')
    .execute()
  const ids = products.slice(0, DISTINCT).map(({ id }) => id)
  const prices = distinctPrices(products.map((row) => Number(row.final_price)))
  const pages = Math.floor(products.length / 40)
  const headers = { authorization: `Bearer ${token}` }
  const carts = ids.map((_, index) => [0, 1, 2, 3, 4].map((step) => ids[(index + step * 7) % ids.length] ?? 1))
  return [
    {
      name: 'list',
      budget: 0.75,
      requests: prices.map((price) => ask(`/api/v1/products?size=20&minPrice=${price}`)),
      limit: flat(flatList(prices)),
    },
    {
      name: 'list, any page',
      budget: 0.75,
      requests: prices.map((price, n) =>
        ask(`/api/v1/products?size=20&minPrice=${price / 10}&page=${(n * 7) % pages}`),
      ),
      limit: flat(flatList(prices)),
    },
    byPriceInCategory(products, prices),
    {
      name: 'card',
      budget: 0.33,
      requests: ids.map((id) => ask(`/api/v1/products/${id}`)),
      limit: flat(flatProducts(ids.map((id) => [id]))),
    },
    {
      name: 'search',
      budget: 0.75,
      requests: distinctSearches(products.map((row) => row.search_name)).map((words) =>
        ask(`/api/v1/products?size=20&search=${encodeURIComponent(words)}`),
      ),
      limit: flat(flatList(prices)),
    },
    {
      name: 'cart of five lines',
      budget: null,
      requests: carts.map((cart) => ({
        method: 'POST',
        path: '/api/v1/cart/validate',
        body: cart.map((productId) => ({ productId, quantity: 1 })),
      })),
      limit: flat(flatProducts(carts)),
    },
    {
      name: "staff's products",
      budget: null,
      requests: prices.map((price) => ask(`/api/v1/products?size=20&minPrice=${price}`, headers)),
      limit: flat(flatList(prices)),
    },
    await staffOrders(db, headers),
  ]
}

function byPriceInCategory(
  products: { category_id: number | null; final_price: string | null }[],
  prices: number[],
): HttpCase {
  const largest = new Map<number, number>()
  for (const { category_id } of products) {
    if (category_id !== null) largest.set(category_id, (largest.get(category_id) ?? 0) + 1)
  }
  const categories = [...largest].sort((a, b) => b[1] - a[1]).slice(0, 10)
  const wanted = prices.map((price, n) => ({
    categoryId: categories[n % categories.length]?.[0] ?? 1,
    price: Math.round(price * 10) / 100,
  }))
  return {
    name: 'category by price',
    budget: 0.75,
    requests: wanted.map(({ categoryId, price }) =>
      ask(`/api/v1/products?size=20&sort=price,asc&categoryId=${categoryId}&minPrice=${price}`),
    ),
    limit: flat(flatListByPrice(wanted)),
  }
}

async function staffOrders(db: Db, headers: Record<string, string>): Promise<HttpCase> {
  const orders = await db.selectFrom('orders').select('id').orderBy('id', 'desc').execute()
  const pages = Math.max(1, Math.floor(orders.length / 20))
  const wanted = Array.from({ length: pages }, (_, page) => page)
  return {
    name: "staff's orders",
    budget: null,
    requests: wanted.map((page) => ask(`/api/v1/admin/orders?size=20&page=${page}`, headers)),
    limit: flat(flatOrders(wanted.map((page) => orders[page * 20]?.id ?? 1))),
  }
}

/** A part of a case's requests that no other part shares, so that the warm-up fills no cache for it. */
export function piece(requests: BenchRequest[], number: number): BenchRequest[] {
  const length = Math.floor(requests.length / PIECES)
  return length < 1000 ? requests : requests.slice(number * length, (number + 1) * length)
}

/** The bytes as sent; fetch would decompress them. */
export function rawBytes(url: string, headers = {}): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Uint8Array.from(Buffer.concat(chunks))))
    }).on('error', reject)
  })
}

/** Bytes of cached answers, plain and in each encoding. */
export async function answerSizes(shopUrl: string, productId: number): Promise<Record<string, string | number>[]> {
  const paths = { list: CACHED_LIST, card: `/api/v1/products/${productId}`, tree: '/api/v1/categories/tree' }
  const rows: Record<string, string | number>[] = []
  for (const [answer, path] of Object.entries(paths)) {
    const row: Record<string, string | number> = { answer }
    for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
      row[encoding] = (await rawBytes(shopUrl + path, { 'accept-encoding': encoding })).byteLength
    }
    rows.push(row)
  }
  return rows
}

function ask(path: string, headers: Record<string, string> = {}): BenchRequest {
  return { method: 'GET', path, headers }
}

function flat(one: FlatCase): Limit {
  return { kind: 'flat table', flat: one }
}

/** Prices from the lower three quarters, so that a whole page always lies above. */
function distinctPrices(all: number[]): number[] {
  const sorted = all.filter((price) => price > 0).sort((a, b) => a - b)
  const highest = sorted[Math.floor(sorted.length * 0.75)] ?? 100
  return Array.from({ length: DISTINCT }, (_, n) => {
    // Shuffled: neighbouring prices would list the same products.
    const shuffled = (n * 2711) % DISTINCT
    return Math.round((1 + (highest * shuffled) / DISTINCT) * 100) / 100
  })
}

/** Words of the names, or pairs of neighbouring words where there are too few. */
function distinctSearches(names: string[]): string[] {
  const split = names.map((name) => name.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 3))
  const words = new Set(split.flat())
  const pairs = split.flatMap((some) => some.slice(1).map((word, index) => `${some[index]} ${word}`))
  return [...(words.size >= DISTINCT ? words : new Set(pairs))].slice(0, DISTINCT)
}
