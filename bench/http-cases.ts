import type { Db } from '../db/database.ts'
import type { ProductFilter, ProductOrder } from '../db/queries/catalogue/product-filter.ts'
import {
  findCartProducts,
  findProductCard,
  findProductPage,
  findProducts,
} from '../db/queries/catalogue/products.ts'
import type { OverheardDatabase, Statement } from '../test/support/statements.ts'
import type { StatementCase } from './limit-server.ts'

/** One kind of request: what is sent to the shop, and the bare statements that it can't do without. */
export type HttpCase = {
  name: string
  requests: { method: 'GET' | 'POST'; path: string; body?: unknown; headers?: Record<string, string> }[]
  /** Without these the limit is the same bytes from memory… */
  statements?: StatementCase
  /** …or, with this, a file of the same bytes. */
  file?: true
}

const everything: ProductFilter = {
  categoryIds: null,
  brandIds: null,
  tagId: null,
  minPrice: null,
  maxPrice: null,
  active: true,
  inStock: false,
  attributes: [],
  words: [],
}
const byId: ProductOrder = { columns: ['id'], descending: false }
/** More than a cache of 1000 entries holds, so that in turn none is ever a hit. */
const DISTINCT = 2500

/** The requests of a browsing customer, over the catalogue that is in the database. */
export async function httpCases(database: OverheardDatabase): Promise<HttpCase[]> {
  const products = await database.db
    .selectFrom('products')
    .select(['id', 'search_name', 'final_price'])
    .where('active', '=', true)
    .orderBy('id')
    .limit(DISTINCT)
    .execute()
  return [
    { name: 'list, the same page', requests: [get('/api/v1/products?size=20')] },
    { name: 'card, the same product', requests: [get(`/api/v1/products/${products[0]?.id}`)] },
    { name: 'category tree', requests: [get('/api/v1/categories/tree')] },
    await listCase(database),
    await cardCase(
      database,
      products.map(({ id }) => id),
    ),
    await searchCase(database, distinctWords(products.map((row) => row.search_name))),
    await cartCase(
      database,
      products.map(({ id }) => id),
    ),
  ]
}

async function listCase(database: OverheardDatabase): Promise<HttpCase> {
  const filters = Array.from({ length: DISTINCT }, (_, n) => ({ ...everything, minPrice: 10 + n / 100 }))
  return {
    name: 'list, a new filter each time',
    requests: filters.map(({ minPrice }) => get(`/api/v1/products?size=20&minPrice=${minPrice}`)),
    statements: await pageStatements(database, filters, byId),
  }
}

async function searchCase(database: OverheardDatabase, words: string[]): Promise<HttpCase> {
  const filters = words.map((text) => ({ ...everything, words: [{ text, literal: false }] }))
  return {
    name: 'search, a new word each time',
    requests: words.map((word) => get(`/api/v1/products?size=20&search=${encodeURIComponent(word)}`)),
    statements: await pageStatements(database, filters, 'relevance'),
  }
}

function pageStatements(
  database: OverheardDatabase,
  filters: ProductFilter[],
  order: ProductOrder,
): Promise<StatementCase> {
  return statementsOf(database, filters, async (db, filter) => {
    await findProducts(db, (await findProductPage(db, filter, order, { page: 0, size: 20 })).ids)
  })
}

async function cardCase(database: OverheardDatabase, ids: number[]): Promise<HttpCase> {
  return {
    name: 'card, a new product each time',
    requests: ids.map((id) => get(`/api/v1/products/${id}`)),
    statements: await statementsOf(database, ids, async (db, id) => {
      await findProductCard(db, id)
    }),
  }
}

async function cartCase(database: OverheardDatabase, ids: number[]): Promise<HttpCase> {
  const carts = ids.map((_, index) =>
    [0, 1, 2, 3, 4].map((step) => ids[(index + step * 7) % ids.length] ?? 1),
  )
  return {
    name: 'cart of five lines',
    requests: carts.map((cart) => ({
      method: 'POST',
      path: '/api/v1/cart/validate',
      body: cart.map((productId) => ({ productId, quantity: 1 })),
    })),
    statements: await statementsOf(database, carts, findCartProducts),
  }
}

/** What each of the inputs asks of the database, by `work`. */
async function statementsOf<T>(
  database: OverheardDatabase,
  inputs: T[],
  work: (db: Db, input: T) => Promise<unknown>,
): Promise<StatementCase> {
  const requests: Statement[][] = []
  for (const input of inputs) requests.push(await database.statementsOf((db) => work(db, input)))
  return {
    texts: (requests[0] ?? []).map(({ sql }) => sql),
    requests: requests.map((statements) => statements.map(({ parameters }) => [...parameters])),
  }
}

function get(path: string): HttpCase['requests'][number] {
  return { method: 'GET', path }
}

function distinctWords(names: string[]): string[] {
  const words = new Set(
    names.flatMap((name) => name.split(/[^\p{L}\p{N}]+/u)).filter((word) => word.length >= 3),
  )
  return [...words].slice(0, DISTINCT)
}
