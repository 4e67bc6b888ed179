import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../support/accounts.ts'
import type { ApiDocument } from '../support/api-description.ts'
import { createProduct } from '../support/factories.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

const REVIEWS = '/api/v1/reviews/active'
const COUNT = 250

let shop: TestShop
let editor: string
let productId: number
beforeAll(async () => {
  shop = await startTestShop({ CORS_ALLOWED_ORIGINS: 'https://pages.example' })
  editor = await loginAs(shop, 'EDITOR')
  const { db } = shop.deps
  productId = await createProduct(db)
  await sql`insert into reviews (author, rating, text, review_date, product_id, active, display_order)
    select 'A', 5, 'T', '2026-11-28', case when n % 5 = 0 then null else ${productId}::int end, n % 2 = 0 or n > 10, n
    from generate_series(1, ${COUNT}) n`.execute(db)
  await sql`insert into brands (name, slug) select 'Brand ' || to_char(n, '000'), 'brand-' || n
    from generate_series(1, ${COUNT}) n`.execute(db)
  for (const table of ['banner_blocks', 'feature_items'])
    await sql`insert into ${sql.table(table)} (title, active, display_order) select 'T', n <> 1, n
      from generate_series(1, ${COUNT + 1}) n`.execute(db)
  await sql`update banner_blocks set active_from = now() + interval '1 day' where id in (2, 3)`.execute(db)
  await sql`update banner_blocks set active_to = now() - interval '1 day' where id = 4`.execute(db)
})
afterAll(() => shop.close())

/** The ids of a part of a list, and the total. */
async function part(path: string, token?: string): Promise<{ ids: number[]; total: string | null }> {
  const { status, text, headers } = await shop.call('GET', path, { token })
  expect([path, status]).toEqual([path, 200])
  const records: { id: number }[] = JSON.parse(text)
  return { ids: records.map(({ id }) => id), total: headers.get('x-total-count') }
}

test.each([
  // Of the first ten reviews five are hidden.
  [REVIEWS, COUNT - 5],
  ['/api/v1/brands', COUNT],
  ['/api/v1/banner-blocks/active', COUNT - 3],
  ['/api/v1/feature-items/active', COUNT],
])('%s lists at most a hundred, and says how many there are', async (path, total) => {
  for (const token of [undefined, editor]) {
    const first = await part(path, token)
    expect([first.ids.length, first.total]).toEqual([100, String(total)])
    expect(await part(`${path}?page=0&size=100`, token)).toEqual(first)
    const pages = await Promise.all([0, 1, 2, 3].map((page) => part(`${path}?page=${page}&size=70`, token)))
    const ids = pages.flatMap((page) => page.ids)
    expect([new Set(ids).size, ids.slice(0, 100)]).toEqual([total, first.ids])
    expect(await part(`${path}?page=9`, token)).toEqual({ ids: [], total: String(total) })
    expect((await shop.call('GET', `${path}?size=101`, { token })).status).toBe(400)
  }
  const headers = { origin: 'https://pages.example' }
  const exposed = (await shop.call('GET', path, { headers })).headers.get('access-control-expose-headers')
  expect(exposed).toContain('X-Total-Count')
  const etag = (await shop.call('GET', path)).headers.get('etag') ?? ''
  expect((await shop.call('GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304)
})

test('filters the reviews of a product, and those of no product', async () => {
  const counts = await Promise.all(
    ['', '?shop=false', '?shop=true', `?productId=${productId}`, `?shop=true&productId=${productId}`].map(
      async (query) => (await part(REVIEWS + query)).total,
    ),
  )
  expect(counts).toEqual(['245', '245', '49', '196', '0'])
  const { body } = await shop.call('GET', `${REVIEWS}?shop=true&size=1`)
  expect(body).toMatchObject([{ productId: null, displayOrder: 10 }])
})

test('shows a new review on every page at once', async () => {
  const before = await part(`${REVIEWS}?page=1&size=50`)
  const body = { author: 'B', rating: 4, text: 'New', reviewDate: '2026-11-28' }
  await shop.call('POST', '/api/v1/reviews', { token: editor, body })
  const after = await part(`${REVIEWS}?page=1&size=50`)
  expect([Number(before.total) + 1, before.ids.slice(0, 49)]).toEqual([Number(after.total), after.ids.slice(1)])
})

test('every public list that can grow has pages', async () => {
  const { paths }: ApiDocument = JSON.parse((await shop.call('GET', '/v3/api-docs')).text)
  const unpaged = Object.entries(paths).flatMap(([path, { get }]) => {
    const isPublic = get?.security.every((needed) => !('bearer' in needed) || get.security.length > 1)
    const answer = get?.responses['200']?.content?.['application/json']?.schema ?? {}
    const isList = [answer, answer.anyOf].flat().some((schema) => Object(schema).type === 'array')
    const hasPages = get?.parameters?.some(({ name }) => name === 'size')
    return isPublic && isList && !hasPages ? [path] : []
  })
  // The categories make one tree, and a product's attributes one table.
  expect(unpaged.toSorted()).toEqual([
    '/api/v1/categories',
    '/api/v1/categories/homepage',
    '/api/v1/categories/tree',
    '/api/v1/products/{id}/attributes',
  ])
})
