import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createProduct } from '../../support/factories.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'
import { type SilentProxy, startSilentProxy } from '../../support/silent-proxy.ts'

/** Beyond the test's own, so that only the listener can end a query. */
const QUERY_TIMEOUT_MS = 2 * PROCESS_TIMEOUT_MS
const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS }
let database: Awaited<ReturnType<typeof createTestDatabase>>
let proxy: SilentProxy
let shop: TestShop
let admin: string

beforeAll(async () => {
  database = await createTestDatabase()
  proxy = await startSilentProxy(database.url)
  shop = await startTestShop({}, { databaseUrl: proxy.url, queryTimeoutMs: QUERY_TIMEOUT_MS })
  admin = await loginAs(shop, 'ADMIN')
})
afterAll(async () => {
  await shop.close()
  await proxy.close()
  await database.drop()
})

const listeners = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and query = 'select 1'`.execute(
    shop.deps.db,
  )
  return rows.length
}
const settings = async () => (await shop.call('GET', '/api/v1/admin/config', { token: admin })).status

test('requests end soon after the database goes silent, whatever a query may take', PATIENTLY, async () => {
  const productId = await createProduct(shop.deps.db, { price: '10', stock: 5 })
  const order = async () => {
    const body = { customerName: 'Anna', customerPhone: '+79001234567', items: [{ productId, quantity: 1 }] }
    return (await shop.call('POST', '/api/v1/orders', { body })).status
  }
  await Promise.all(Array.from({ length: 20 }, settings))
  proxy.goSilent()
  const statuses = await Promise.all([
    ...Array.from({ length: 20 }, settings),
    ...Array.from({ length: 6 }, order),
  ])
  expect(new Set(statuses)).toEqual(new Set([503]))
  proxy.recover()
  await expect.poll(settings, PATIENTLY).toBe(200)
})

test('requests on silent connections end soon although the server accepts new ones', PATIENTLY, async () => {
  // Its next ping finds the silence.
  await expect.poll(listeners, PATIENTLY).toBe(1)
  await Promise.all(Array.from({ length: 20 }, settings))
  proxy.goSilent()
  proxy.recover()
  const statuses = await Promise.all(Array.from({ length: 10 }, settings))
  expect(statuses).toContain(503)
  await expect.poll(settings, PATIENTLY).toBe(200)
})
