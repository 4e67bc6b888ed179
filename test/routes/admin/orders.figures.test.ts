import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OrderStatus } from '../../../src/rules/orders/states.ts'
import type { OrderSeries } from '../../../src/schemas/dashboard.ts'
import { createUser, loginAs } from '../../support/accounts.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// The clocks went back on 1 November 2026.
let shop: TestShop
let manager: string

beforeAll(async () => {
  shop = await startTestShop({ SHOP_TIME_ZONE: 'America/New_York' })
  manager = await loginAs(shop, 'MANAGER')
  // The token was issued by the real clock.
  shop.deps.now = () => new Date('2026-11-03T12:00:00Z')
  await place('2026-10-31T03:59:59.999Z', 'COMPLETED', '1.00')
  await place('2026-11-01T04:00:00Z', 'COMPLETED', '10.10')
  await place('2026-11-02T04:59:59Z', 'SENT', '0.20')
  await place('2026-11-02T04:30:00Z', 'CANCELLED', '500.00')
  await place('2026-11-03T05:00:00Z', 'NEW', '7.00')
  await place('2026-11-03T06:00:00Z', 'SENT', '7.00')
  // Of a clock that was ahead.
  await place('2026-11-04T05:00:00Z', 'SENT', '80.00')
  await place('2027-11-03T06:00:00Z', 'SENT', '80.00')
  const { id } = await createUser(shop, 'USER')
  const { db } = shop.deps
  await db
    .updateTable('users')
    .set({ created_at: new Date('2020-01-01') })
    .execute()
  // Of staff, too, who aren't customers.
  await db
    .updateTable('users')
    .set({ created_at: new Date('2026-11-02T12:00:00Z') })
    .where((eb) => eb.or([eb('id', '=', id), eb('role', '=', 'MANAGER')]))
    .execute()
})
afterAll(() => shop.close())

async function place(at: string, status: OrderStatus, price: string): Promise<void> {
  const { db } = shop.deps
  const customer = { customer_name: 'Анна', customer_phone: '+7 900 123-45-67' }
  const { id } = await db
    .insertInto('orders')
    .values({
      ...customer,
      status,
      created_at: new Date(at),
      delivery_cost: '1.00',
      items_total: String(2 * Number(price)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const line = { order_id: id, product_name: 'Дрель', price_at_order: price, quantity: 1 }
  await db.insertInto('order_items').values([line, line]).execute()
}

const get = (path: string) => shop.call('GET', `/api/v1/admin/orders/${path}`, { token: manager })

test('the series has each day of the calendar, also when the clocks change', async () => {
  expect((await get('series?days=4')).body).toEqual([
    { date: '2026-10-31', orders: 0, revenue: 0, newCustomers: 0 },
    { date: '2026-11-01', orders: 3, revenue: 22.6, newCustomers: 0 },
    { date: '2026-11-02', orders: 0, revenue: 0, newCustomers: 1 },
    { date: '2026-11-03', orders: 2, revenue: 15, newCustomers: 0 },
  ])
  const { body } = await get('series?days=366')
  const days = body as OrderSeries
  expect([days.length, days[0]?.date, new Set(days.map(({ date }) => date)).size]).toEqual([366, '2025-11-03', 366])
  expect((await get('series?days=1')).body).toMatchObject([{ date: '2026-11-03', orders: 2 }])
})

test.each(['0', '367', 'x', '1.5'])('rejects a series of %s days', async (days) => {
  expect((await get(`series?days=${days}`)).status).toBe(400)
})

test("the summary has what waits and today's figures", async () => {
  const message = { name: 'Анна', phone: '+7 900 123-45-67', message: 'Когда?' }
  await shop.call('POST', '/api/v1/contacts', { body: message })
  expect((await get('summary')).body).toEqual({
    byStatus: { NEW: 1, PROCESSING: 0, SENT: 4, ERROR: 0, CANCELLED: 1, COMPLETED: 2, ARCHIVED: 0 },
    waiting: { newOrders: 1, submitErrors: 0, newContacts: 1 },
    today: { orders: 2, revenue: 15 },
  })
})
