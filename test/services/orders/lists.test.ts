import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { loginAs } from '../../support/accounts.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createProduct } from '../../support/factories.ts'
import { placeOrder } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// Two instances on one database: what pages have told of a list is held, and dropped when an order changes.
let database: { url: string; drop(): Promise<void> }
let here: TestShop
let there: TestShop
let admin: string
let productId: number

beforeAll(async () => {
  database = await createTestDatabase()
  here = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: database.url })
  there = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: database.url })
  admin = await loginAs(here, 'ADMIN')
  productId = await createProduct(here.deps.db, { stock: 1_000_000 })
})
afterAll(async () => {
  await here.close()
  await there.close()
  await database.drop()
})

const place = (shop: TestShop) => placeOrder(shop, [{ productId, quantity: 1 }])
const remove = (shop: TestShop, id: number) =>
  shop.call('DELETE', `/api/v1/admin/orders/${id}`, { token: admin })
const complete = (shop: TestShop, id: number) =>
  shop.call('PATCH', `/api/v1/admin/orders/${id}`, { token: admin, body: { status: 'COMPLETED' } })

async function list(shop: TestShop, query: string) {
  const { body } = await shop.call('GET', `/api/v1/admin/orders?${query}`, { token: admin })
  const { content, totalElements } = body as { content: Order[]; totalElements: number }
  return { ids: content.map(({ id }) => id), total: totalElements }
}

test('a total, and where pages begin, are right after each change: here at once, there when it is heard', async () => {
  // More than lie between two places that are remembered.
  await here.deps.db
    .insertInto('orders')
    .values(Array.from({ length: 450 }, () => ({ customer_name: 'A', customer_phone: '123' })))
    .execute()
  const placed: Order[] = []
  for (let n = 0; n < 3; n++) placed.push(await place(here))
  const [first, second, third] = placed.map(({ id }) => id)
  const newest = (await list(here, 'size=100')).ids
  expect(newest.slice(0, 3)).toEqual([third, second, first])
  const deep = (await list(here, 'size=100&page=3')).ids
  const begins = async (shop: TestShop) => {
    const [top, low, open] = await Promise.all(
      ['size=1', 'size=100&page=3', 'size=1&status=NEW'].map((query) => list(shop, query)),
    )
    return { top: top?.ids, low: low?.ids[0], total: top?.total, open: open?.total }
  }
  const before = { top: [third], low: deep[0], total: 453, open: 453 }
  const both = async (expected: typeof before) => {
    expect(await begins(here)).toEqual(expected)
    expect(await begins(here)).toEqual(expected)
    await expect.poll(() => begins(there), { timeout: 10_000 }).toEqual(expected)
  }
  await both(before)

  await remove(here, second ?? 0)
  const after = { ...before, low: deep[1], total: 452, open: 452 }
  await both(after)

  await complete(here, first ?? 0)
  await both({ ...after, open: 451 })

  const { id } = await place(there)
  await expect.poll(() => begins(here), { timeout: 10_000 }).toEqual({ ...before, top: [id], open: 452 })
  expect(await begins(there)).toEqual({ ...before, top: [id], open: 452 })
})

test('whoever placed an order finds it counted, however many others place and look at the same time', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let n = 0; n < 5; n++) {
        const { total } = await list(here, 'size=1')
        const { id } = await place(here)
        const found = await list(here, 'size=100')
        expect(found.ids).toContain(id)
        expect(found.total).toBeGreaterThan(total)
      }
    }),
  )
  const { count } = await here.deps.db
    .selectFrom('orders')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  expect((await list(here, 'size=1')).total).toBe(count)
})
