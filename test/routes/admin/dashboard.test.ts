import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ORDER_STATUSES, type OrderStatus } from '../../../src/rules/orders/states.ts'
import type { Dashboard } from '../../../src/schemas/dashboard.ts'
import { rebuild } from '../../../src/services/published/publishing.ts'
import { loginAs } from '../../support/accounts.ts'
import { emptyTables } from '../../support/database.ts'
import { createCategory, createProduct } from '../../support/factories.ts'
import { placeOrder, setSetting } from '../../support/orders.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

const ZONE = 'America/New_York'
let shop: TestShop
let admin: string

beforeAll(async () => {
  shop = await startTestShop({ SHOP_TIME_ZONE: ZONE }, { publishes: true })
  admin = await loginAs(shop, 'ADMIN')
})
beforeEach(async () => {
  shop.deps.now = () => new Date()
  await emptyTables(shop.deps.db, 'orders, products, mails, contact_requests, sync_runs, publications')
})
afterAll(() => shop.close())

async function dashboard(): Promise<Dashboard> {
  const { status, body } = await shop.call('GET', '/api/v1/admin/dashboard', { token: admin })
  expect(status).toBe(200)
  return body as Dashboard
}

const NONE = { NEW: 0, PROCESSING: 0, SENT: 0, ERROR: 0, CANCELLED: 0, COMPLETED: 0, ARCHIVED: 0 }

/** Amounts in kopecks. */
type Placed = {
  status: OrderStatus
  at: Date
  delivery: number
  lines: { price: number; quantity: number }[]
}

const decimal = (minor: number) => `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}`

async function store(orders: Placed[]): Promise<void> {
  const { db } = shop.deps
  for (const { status, at, delivery, lines } of orders) {
    const { id } = await db
      .insertInto('orders')
      .values({
        status,
        created_at: at,
        delivery_cost: decimal(delivery),
        items_total: decimal(lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)),
        customer_name: 'Анна',
        customer_phone: '+7',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const items = lines.map(({ price, quantity }) => ({
      order_id: id,
      product_name: 'Дрель',
      price_at_order: decimal(price),
      quantity,
    }))
    if (items.length > 0) await db.insertInto('order_items').values(items).execute()
  }
}

test('returns zeros for an empty shop', async () => {
  expect(await dashboard()).toEqual({
    orders: NONE,
    revenue: { today: 0, days7: 0, days30: 0 },
    waiting: { newOrders: 0, submitErrors: 0, newContacts: 0, failedMails: 0 },
    sync: { lastRun: null, feedBuiltAt: null },
    products: { active: 0, withoutPrice: 0, withoutImage: 0, withoutCategory: 0 },
  })
})

test("counts an order from midnight in the shop's time zone", async () => {
  // The clocks went back on 1 November: that day had 25 hours.
  shop.deps.now = () => new Date('2026-11-03T04:59:59.999Z')
  const order = (at: string): Placed => ({ status: 'SENT', at: new Date(at), delivery: 1, lines: [] })
  await store([
    order('2026-11-02T05:00:00.000Z'),
    order('2026-11-02T04:59:59.999Z'),
    order('2026-10-27T04:00:00.000Z'),
    order('2026-10-27T03:59:59.999Z'),
    order('2026-10-04T04:00:00.000Z'),
    order('2026-10-04T03:59:59.999Z'),
  ])
  const { revenue, orders } = await dashboard()
  expect(revenue).toEqual({ today: 0.01, days7: 0.03, days30: 0.05 })
  expect(orders).toEqual({ ...NONE, SENT: 6 })
})

test('agrees with a plain count of random orders', async () => {
  const now = new Date('2026-03-10T15:30:00.000Z')
  shop.deps.now = () => now
  const dayOf = (at: Date) =>
    Date.parse(new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short' }).format(at))
  const amount = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constantFrom(10, 20, 999_999_999))
  const placed = fc.record({
    status: fc.constantFrom(...ORDER_STATUSES),
    at: fc
      .oneof(
        fc.integer({ min: 0, max: 40 * 1440 }),
        fc.constantFrom(0, 1, 6, 7, 29, 30).map((days) => days * 1440 + 930),
      )
      .map((minutes) => new Date(now.getTime() - minutes * 60_000)),
    delivery: amount,
    lines: fc.array(fc.record({ price: amount, quantity: fc.integer({ min: 1, max: 9 }) }), { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(placed, { maxLength: 25 }), async (orders) => {
      await shop.deps.db.deleteFrom('orders').execute()
      await store(orders)
      const within = (days: number) => orders.filter(({ at }) => (dayOf(now) - dayOf(at)) / 86_400_000 < days)
      const counts = (some: Placed[]) => {
        const found = { ...NONE }
        for (const { status } of some) found[status] += 1
        return found
      }
      const sold = (some: Placed[]) =>
        some
          .filter(({ status }) => status === 'SENT' || status === 'COMPLETED')
          .flatMap(({ delivery, lines }) => [delivery, ...lines.map((line) => line.price * line.quantity)])
          .reduce((sum, minor) => sum + minor, 0) / 100
      expect(await dashboard()).toMatchObject({
        orders: counts(orders),
        revenue: { today: sold(within(1)), days7: sold(within(7)), days30: sold(within(30)) },
        waiting: { newOrders: counts(orders).NEW, submitErrors: counts(orders).ERROR },
      })
    }),
    { numRuns: 15 },
  )
})

test('counts products with missing data', async () => {
  const { db } = shop.deps
  const categoryId = await createCategory(db)
  const whole = await createProduct(db, { categoryId })
  await createProduct(db, { categoryId, price: null })
  await createProduct(db, { categoryId, price: '5.00', sitePrice: '0' })
  await createProduct(db, { categoryId, price: null, sitePrice: '5.00' })
  await createProduct(db, { categoryId: null, price: '0' })
  await createProduct(db, { categoryId: null, price: null, activeOverride: false })
  await sql`insert into images (storage_key, file_name, content_type, size, width, height, sha256)
    select n::text, 'f', 'image/png', 1, 1, 1, '' from generate_series(1, 2) n`.execute(db)
  await sql`insert into product_images select ${whole}::int, id, 0 from images`.execute(db)
  expect((await dashboard()).products).toEqual({
    active: 5,
    withoutPrice: 3,
    withoutImage: 4,
    withoutCategory: 1,
  })
})

test('returns the work for staff and the state of sync and feed', async () => {
  const { db } = shop.deps
  const contact = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Когда?' }
  for (const status of ['NEW', 'NEW', 'READ', 'CLOSED'] as const) {
    await db
      .insertInto('contact_requests')
      .values({ ...contact, status })
      .execute()
  }
  const mail = { recipient: 'a@example.test', subject: 's', body: 'b' }
  for (const status of ['PENDING', 'SENT', 'FAILED'] as const) {
    await db
      .insertInto('mails')
      .values({ ...mail, status })
      .execute()
  }
  const run = (status: 'RUNNING' | 'SUCCEEDED' | 'FAILED', daysAgo: number) => {
    const started_at = new Date(Date.now() - daysAgo * 86_400_000)
    const error = status === 'FAILED' ? 'The supplier is down' : null
    const finished_at = status === 'RUNNING' ? null : started_at
    return db.insertInto('sync_runs').values({ status, trigger: 'CRON', started_at, finished_at, error }).execute()
  }
  await run('FAILED', 1)
  expect((await dashboard()).sync).toMatchObject({
    lastRun: { status: 'FAILED', error: 'The supplier is down', finishedAt: expect.any(String) },
    feedBuiltAt: null,
  })
  await run('RUNNING', 0)
  await createProduct(db, { externalId: null, categoryId: await createCategory(db) })
  expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
  const { sync, waiting } = await dashboard()
  expect(sync.lastRun).toMatchObject({ status: 'RUNNING', trigger: 'CRON', finishedAt: null, error: null })
  const feed = await shop.call('GET', '/api/v1/yml-catalog.xml')
  const builtAt = Math.floor(Date.parse(sync.feedBuiltAt ?? '') / 1000) * 1000
  expect(builtAt).toBe(Date.parse(feed.headers.get('last-modified') ?? ''))
  expect(waiting).toEqual({ newOrders: 0, submitErrors: 0, newContacts: 2, failedMails: 1 })
})

test('counts an order at once, and its revenue once it is SENT', async () => {
  const { db } = shop.deps
  await setSetting(shop, admin, 'order_limit_per_phone', '0')
  const productId = await createProduct(db, { price: '100.10' })
  const { id } = await placeOrder(shop, [{ productId, quantity: 3 }])
  expect(await dashboard()).toMatchObject({
    orders: { NEW: 1 },
    revenue: { today: 0 },
    waiting: { newOrders: 1 },
  })
  const change = (path: string, body: object) =>
    shop.call('PATCH', `/api/v1/admin/orders/${id}${path}`, { token: admin, body })
  await change('/delivery-cost', { deliveryCost: 49.9 })
  await change('', { status: 'SENT' })
  expect(await dashboard()).toMatchObject({ orders: { SENT: 1 }, revenue: { today: 350.2, days30: 350.2 } })
  await change('', { status: 'CANCELLED' })
  expect((await dashboard()).revenue).toEqual({ today: 0, days7: 0, days30: 0 })
})
