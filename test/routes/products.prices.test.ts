import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from '../../src/schemas/lists.ts'
import type { Product } from '../../src/schemas/products.ts'
import { loginAs } from '../support/accounts.ts'
import type { ApiDocument, Operation } from '../support/api-description.ts'
import { openEvents } from '../support/events.ts'
import { createBrand, createCategory, createProduct, markSynchronised } from '../support/factories.ts'
import { placeTracked } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

let shop: TestShop
let admin: string
let [dearer, cheaper, plain, unpriced] = [0, 0, 0, 0]
let categoryId: number
let brandId: number
let brandSlug: string | null
let trackingToken: string
/** Of a product, a category and a tag. */
const SLUG = 'priced'

beforeAll(async () => {
  shop = await startTestShop({}, { publishes: true })
  admin = await loginAs(shop, 'ADMIN')
  const { db } = shop.deps
  categoryId = await createCategory(db, { slug: SLUG, showInHomepage: true })
  await markSynchronised(db)
  brandId = await createBrand(db)
  brandSlug = (await db.selectFrom('brands').select('slug').where('id', '=', brandId).executeTakeFirstOrThrow()).slug
  const shared = { categoryId, brandId, stock: 50 }
  dearer = await createProduct(db, { ...shared, name: 'Dearer', slug: SLUG, price: '123.45', sitePrice: '199.99' })
  cheaper = await createProduct(db, { ...shared, name: 'Cheaper', price: '777.77', sitePrice: '555.55' })
  plain = await createProduct(db, { ...shared, name: 'Plain', price: '300' })
  unpriced = await createProduct(db, { ...shared, name: 'Unpriced', price: '888.88', sitePrice: '0' })
  await shop.call('POST', '/api/v1/tags', { token: admin, body: { name: 'Priced', slug: SLUG } })
  shop.deps.caches.clear()
})
afterAll(() => shop.close())

const PRODUCTS = '/api/v1/products'
const get = async (path: string, token?: string) => (await shop.call('GET', path, { token })).body

test('shows the public what is paid and what is crossed out, and staff the supplier’s price and its override', async () => {
  const shown = (price: number | null, oldPrice: number | null = null) => ({ price, finalPrice: price, oldPrice })
  const forPublic = [shown(199.99), shown(555.55, 777.77), shown(300), shown(0)]
  const forStaff = [
    { price: 123.45, sitePrice: 199.99, finalPrice: 199.99, oldPrice: null },
    { price: 777.77, sitePrice: 555.55, finalPrice: 555.55, oldPrice: 777.77 },
    { price: 300, sitePrice: null, finalPrice: 300, oldPrice: null },
    { price: 888.88, sitePrice: 0, finalPrice: 0, oldPrice: null },
  ]
  const user = await loginAs(shop, 'USER')
  const editor = await loginAs(shop, 'EDITOR')
  const list = `${PRODUCTS}?categoryId=${categoryId}&sort=id`
  // Alternating, so that one can't be answered from the other's cache.
  for (const [token, prices] of [
    [undefined, forPublic],
    [admin, forStaff],
    [user, forPublic],
    [editor, forStaff],
  ] as const) {
    expect(await get(list, token)).toMatchObject({ content: prices })
    for (const [index, id] of [dearer, cheaper, plain, unpriced].entries())
      expect(await get(`${PRODUCTS}/${id}`, token)).toMatchObject(prices[index] ?? {})
  }
})

/** The path of a route with values for its parameters. */
function filled(path: string): string {
  const of = (product: unknown, brand: unknown) => String(path.includes('brands') ? brand : product)
  return path
    .replace('{id}', of(dearer, brandId))
    .replace('{slug}', of(SLUG, brandSlug))
    .replace('{key}', 'site_name')
    .replace('{trackingToken}', trackingToken)
}

/** All public answers to GET, and the others that name products. */
async function publicAnswers(): Promise<{ what: string; status: number; text: string }[]> {
  const call = async (method: string, path: string, body?: object) => {
    const { status, text } = await shop.call(method, path, {
      body,
      headers: { accept: 'application/json, text/event-stream' },
    })
    return { what: path + JSON.stringify(body ?? ''), status, text }
  }
  const document: ApiDocument = JSON.parse((await shop.call('GET', '/v3/api-docs')).text)
  const isPublic = ({ security }: Operation) =>
    security.length === 0 || security.some((needed) => !('bearer' in needed))
  const paths = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get && isPublic(get) && !/^.(health|api.v1.images|.well-known)/.test(path) ? [`${filled(path)}?q=dear`] : [],
  )
  expect(paths.length).toBeGreaterThan(25)
  const lines = [
    { productId: dearer, quantity: 1 },
    { productId: unpriced, quantity: 1 },
  ]
  const customer = { customerName: 'Анна', customerPhone: '+7 900 000 00 00' }
  const tool = (name: string, args: object) =>
    call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })
  const answers = []
  for (const path of paths) answers.push(await call('GET', path))
  answers.push(
    await call('GET', `${PRODUCTS}?search=dearer&minPrice=150`),
    await call('POST', '/api/v1/cart/validate', lines),
    await call('POST', '/api/v1/orders', { ...customer, items: lines.slice(0, 1) }),
    await tool('search_products', { search: 'dearer' }),
    await tool('get_product', { id: dearer }),
    await tool('get_product', { id: unpriced }),
    await tool('check_cart', { items: lines }),
  )
  return answers
}

test('no public answer has the supplier’s price of what is sold for more, or the override', async () => {
  trackingToken = (await placeTracked(shop, [{ productId: dearer, quantity: 2 }])).trackingToken
  const secrets = /123[.,]?45|888[.,]?88|site_?price/i
  for (const { what, status, text } of await publicAnswers()) {
    expect([what, status >= 400, secrets.exec(text)?.[0]]).toEqual([what, false, undefined])
  }
  expect((await shop.call('GET', `${PRODUCTS}/${dearer}`, { token: admin })).text).toMatch(secrets)
})

test('live events name what is paid', async () => {
  const events = await openEvents(shop.url)
  await events.subscribe([`product:${dearer}`])
  await shop.call('PATCH', `${PRODUCTS}/${dearer}`, { token: admin, body: { sitePrice: 150 } })
  expect(await events.next('product.changed')).toEqual({
    type: 'product.changed',
    id: dearer,
    finalPrice: 150,
    available: true,
    active: true,
  })
  events.socket.close()
  await events.closed
})

test('sorts and filters by what is paid, for the public and for staff', async () => {
  const idsOf = async (query: string, token?: string) => {
    const { text } = await shop.call('GET', `${PRODUCTS}?categoryId=${categoryId}&${query}`, { token })
    const { content }: Page<Product> = JSON.parse(text)
    return content.map(({ id }) => id)
  }
  for (const token of [undefined, admin]) {
    expect(await idsOf('sort=price', token)).toEqual([dearer, plain, cheaper, unpriced])
    expect(await idsOf('minPrice=500&maxPrice=600', token)).toEqual([cheaper])
  }
})
