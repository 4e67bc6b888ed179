import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/schemas/orders.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
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

test('a list shows an order as it is, whatever was held of it: here at once, there when it is heard', async () => {
  const user = await createUser(here, 'USER')
  const lonely = await createProduct(here.deps.db, { stock: 5 })
  const lines = [
    { productId, quantity: 1 },
    { productId: lonely, quantity: 2 },
  ]
  const { id } = await placeOrder(here, lines, { token: here.app.signToken(user) })
  const shown = async (shop: TestShop): Promise<Order | undefined> => {
    const { body } = await shop.call('GET', '/api/v1/admin/orders?size=5', { token: admin })
    return (body as { content: Order[] }).content.find((order) => order.id === id)
  }
  const both = async (expected: Partial<Order>) => {
    expect(await shown(here)).toMatchObject(expected)
    await expect.poll(() => shown(there), { timeout: 10_000 }).toMatchObject(expected)
  }
  await both({ userId: user.id, status: 'NEW' })

  const path = `/api/v1/admin/orders/${id}`
  await here.call('PATCH', `${path}/delivery-cost`, { token: admin, body: { deliveryCost: 12.5 } })
  await both({ deliveryCost: 12.5 })
  const third = await createProduct(here.deps.db, { stock: 5 })
  await here.call('POST', `${path}/items`, { token: admin, body: { productId: third, quantity: 3 } })
  const products = lines.map((line) => ({ productId: line.productId }))
  await both({ items: [...products, { productId: third, quantity: 3 }] as Order['items'] })

  // What goes with a product or an account leaves the order's version as it was.
  await here.call('DELETE', `/api/v1/products/${lonely}`, { token: admin })
  await both({ items: [{ productId }, { productId: null }, { productId: third }] as Order['items'] })
  await here.call('DELETE', `/api/v1/admin/users/${user.id}`, { token: admin })
  await both({ userId: null })
})

test('an order is read once for all lists until it changes', async () => {
  const { id } = await place(here)
  await place(here)
  await list(here, 'size=2')
  // Not said to anybody: what is held is shown.
  await here.deps.db.updateTable('orders').set({ customer_name: 'Other' }).where('id', '=', id).execute()
  const names = async () => {
    const { body } = await here.call('GET', '/api/v1/admin/orders?size=2&status=NEW', { token: admin })
    return (body as { content: Order[] }).content.map(({ customerName }) => customerName)
  }
  expect(await names()).not.toContain('Other')
  await complete(here, id)
  const { body } = await here.call('GET', '/api/v1/admin/orders?status=COMPLETED&size=1', { token: admin })
  expect((body as { content: Order[] }).content[0]?.customerName).toBe('Other')
})
