import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Product, ProductPage } from '../../../src/schemas/products.ts'
import type { Review } from '../../../src/schemas/reviews.ts'
import { loginAs } from '../../support/accounts.ts'
import { createProduct } from '../../support/factories.ts'
import { SOON, startTestShop, type TestShop } from '../../support/shop.ts'

const REVIEWS = '/api/v1/reviews'
const PRODUCTS = '/api/v1/products'
const review = { author: 'Анна', rating: 5, text: 'Всё пришло вовремя', reviewDate: '2026-11-01' }

let shop: TestShop
let other: TestShop
let admin: string
let first: number
let second: number

beforeAll(async () => {
  shop = await startTestShop()
  other = await startTestShop({}, { databaseUrl: shop.deps.config.databaseUrl })
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  await shop.deps.db.deleteFrom('reviews').execute()
  first = await createProduct(shop.deps.db)
  second = await createProduct(shop.deps.db)
  for (const { deps } of [shop, other]) deps.caches.clear()
})
afterAll(async () => {
  await other.close()
  await shop.close()
})

async function send(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await shop.call(method, path, { token: admin, ...(body && { body }) })
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201, 204]), answer.text])
  return answer.body
}
const create = async (input: object) => (await send('POST', REVIEWS, { ...review, ...input })) as Review

type Rating = Product['rating']

/** The ratings of both products in every answer that shows them. */
async function ratings(on: TestShop): Promise<Rating[][]> {
  const list = `${PRODUCTS}?ids=${first},${second}`
  const read = async (path: string, token?: string) =>
    (await on.call('GET', path, { ...(token !== undefined && { token }) })).body
  const card = async (id: number) => (await read(`${PRODUCTS}/${id}`)) as Product
  const pages = [await read(list), await read(list, admin)] as ProductPage[]
  const cards = [await card(first), await card(second)]
  const bySlug = cards.map(({ slug }) => read(`/products/by-slug/${slug}`) as Promise<Product>)
  const answers = [...pages.map(({ content }) => content), cards, await Promise.all(bySlug)]
  return answers.map((products) => products.map(({ rating }) => rating))
}

async function shows(...expected: [Rating, Rating]): Promise<void> {
  const everywhere = Array.from({ length: 4 }, () => expected)
  expect(await ratings(shop)).toEqual(everywhere)
  await expect.poll(() => ratings(other), SOON).toEqual(everywhere)
  // An answer is cached when it is asked for the second time.
  for (const one of [shop, other]) expect(await ratings(one)).toEqual(everywhere)
}

test('lists and cards follow every write of a review on all instances', async () => {
  await shows(null, null)
  const { id } = await create({ productId: first })
  await shows({ average: 5, count: 1 }, null)
  await create({ productId: first, rating: 4 })
  await create({ productId: first, rating: 4 })
  await create({ productId: first, rating: 1, active: false })
  await create({})
  await shows({ average: 4.33, count: 3 }, null)
  await send('PUT', `${REVIEWS}/${id}`, { ...review, rating: 1 })
  await shows({ average: 3, count: 3 }, null)
  await send('PUT', `${REVIEWS}/${id}`, { ...review, productId: second })
  await shows({ average: 4, count: 2 }, { average: 5, count: 1 })
  await send('PUT', `${REVIEWS}/${id}`, { ...review, active: false })
  await shows({ average: 4, count: 2 }, null)
  await send('PUT', `${REVIEWS}/${id}`, { ...review, active: true })
  await shows({ average: 4, count: 2 }, { average: 5, count: 1 })
  await send('DELETE', `${REVIEWS}/${id}`)
  await shows({ average: 4, count: 2 }, null)
})

test('lists and cards follow an import on all instances', async () => {
  await create({ productId: first })
  await shows({ average: 5, count: 1 }, null)
  const [exported] = (await send('GET', `${REVIEWS}/export`)) as Review[]
  const added = [2, 3].map((rating) => ({ ...review, text: 'Годится', rating, productId: second }))
  await send('POST', `${REVIEWS}/import`, [{ ...exported, active: false }, ...added])
  await shows(null, { average: 2.5, count: 2 })
  await send('POST', `${REVIEWS}/import`, [exported])
  await shows({ average: 5, count: 1 }, { average: 2.5, count: 2 })
  await send('POST', `${REVIEWS}/import`, [{ ...exported, productId: second }])
  await shows(null, { average: 3.33, count: 3 })
})

test("shows a product's rating in the answer to an edit of it", async () => {
  await create({ productId: first, rating: 2 })
  const rating = { average: 2, count: 1 }
  expect(await send('PATCH', `${PRODUCTS}/${first}`, { name: 'Drill' })).toMatchObject({ rating })
})

test('lists the active reviews of one product', async () => {
  const shown = await create({ productId: first })
  await create({ productId: first, active: false })
  const others = await create({ productId: second, displayOrder: 1 })
  const shops = await create({ displayOrder: 2 })
  const idsOf = async (on: TestShop, query: string) =>
    ((await on.call('GET', `${REVIEWS}/active${query}`)).body as Review[]).map(({ id }) => id)
  const both = async (query: string, expected: number[]) => {
    expect(await idsOf(shop, query)).toEqual(expected)
    await expect.poll(() => idsOf(other, query), SOON).toEqual(expected)
  }
  await both('', [shown.id, others.id, shops.id])
  await both(`?productId=${first}`, [shown.id])
  await both(`?productId=${second}`, [others.id])
  await both('?productId=2147483647', [])
  await send('PUT', `${REVIEWS}/${others.id}`, { ...review, productId: first, displayOrder: -1 })
  await both(`?productId=${first}`, [others.id, shown.id])
  await both(`?productId=${second}`, [])
  for (const odd of ['x', '0', '1.5', '2147483648'])
    expect([odd, (await shop.call('GET', `${REVIEWS}/active?productId=${odd}`)).status]).toEqual([odd, 400])
})
