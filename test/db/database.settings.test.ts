import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { loginAs } from '../support/accounts.ts'
import { createTestDatabase } from '../support/database.ts'
import { createProduct } from '../support/factories.ts'
import { availableOf, placeOrder, sendOrder } from '../support/orders.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'

/** What an operator's role or database may have, and no session of the shop. */
const FOREIGN = {
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Almaty',
  extra_float_digits: '-15',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  default_transaction_isolation: 'serializable',
  statement_timeout: '7s',
  lock_timeout: '7s',
  idle_in_transaction_session_timeout: '7s',
  idle_session_timeout: '7s',
}

let database: Awaited<ReturnType<typeof createTestDatabase>>
let shop: TestShop

beforeAll(async () => {
  database = await createTestDatabase()
  const { db, close } = openDatabase(database.url, () => {})
  const name = sql.ref(new URL(database.url).pathname.slice(1))
  for (const [setting, value] of Object.entries(FOREIGN))
    await sql`alter database ${name} set ${sql.ref(setting)} = ${sql.lit(value)}`.execute(db)
  await close()
  shop = await startTestShop({ RATE_LIMIT_ORDERS: '0' }, { databaseUrl: database.url })
})
afterAll(async () => {
  await shop.close()
  await database.drop()
})

test('times are what they are anywhere', async () => {
  const before = Date.now()
  const order = await placeOrder(shop, [{ productId: await createProduct(shop.deps.db), quantity: 1 }])
  const placedAt = Date.parse(order.createdAt)
  expect(placedAt).toBeGreaterThanOrEqual(before - 1000)
  expect(placedAt).toBeLessThanOrEqual(Date.now() + 1000)
  const { body } = await shop.call('GET', `/api/v1/admin/orders/${order.id}`, { token: await loginAs(shop, 'ADMIN') })
  expect(body).toMatchObject({ createdAt: order.createdAt })
})

test('orders that wait for each other see what the others took', async () => {
  const productId = await createProduct(shop.deps.db, { stock: 5 })
  const sent = Array.from({ length: 20 }, () => sendOrder(shop, [{ productId, quantity: 1 }]))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array(5).fill(201), ...Array(15).fill(409)])
  expect(await availableOf(shop, productId)).toBe(0)
})

test.each([20_000, 0])('sessions with a limit of %d ms have the settings of the shop and of its URL', async (limit) => {
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=pg_catalog,public -c work_mem=64kB')
  const { db, close } = openDatabase(url.href, () => {}, { queryTimeoutMs: limit })
  const names = [...Object.keys(FOREIGN), 'random_page_cost', 'search_path', 'work_mem']
  const { rows } = await sql`select lower(name), setting from pg_settings
    where lower(name) = any(${names.map((name) => name.toLowerCase())}::text[])`.execute(db)
  await close()
  const shown = Object.fromEntries(rows.map((row) => Object.values(Object(row))))
  expect(shown).toMatchObject({
    datestyle: expect.stringMatching(/^ISO/),
    intervalstyle: 'postgres',
    timezone: 'UTC',
    extra_float_digits: '1',
    bytea_output: 'hex',
    standard_conforming_strings: 'on',
    default_transaction_isolation: 'read committed',
    idle_session_timeout: '0',
    statement_timeout: limit === 0 ? '0' : '19000',
    lock_timeout: limit === 0 ? '0' : '10000',
    idle_in_transaction_session_timeout: limit === 0 ? '0' : '25000',
    random_page_cost: '1.1',
    search_path: 'pg_catalog,public',
    work_mem: '64',
  })
})
