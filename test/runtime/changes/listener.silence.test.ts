import { sql } from 'kysely'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createProduct } from '../../support/factories.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop } from '../../support/shop.ts'
import { startSilentProxy } from '../../support/silent-proxy.ts'

/** Beyond the test's own, so that only the listener can end a query. */
const QUERY_TIMEOUT_MS = 2 * PROCESS_TIMEOUT_MS
const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS }

/** A shop behind a proxy to its database. */
async function startCuttable() {
  const database = await createTestDatabase()
  const proxy = await startSilentProxy(database.url)
  const shop = await startTestShop({}, { databaseUrl: proxy.url, queryTimeoutMs: QUERY_TIMEOUT_MS })
  const admin = await loginAs(shop, 'ADMIN')
  return {
    proxy,
    shop,
    settings: async () => (await shop.call('GET', '/api/v1/admin/config', { token: admin })).status,
    async close() {
      await shop.close()
      await proxy.close()
      await database.drop()
    },
  }
}

const shops: Awaited<ReturnType<typeof startCuttable>>[] = []

// One per test, started one after the other: starting needs a whole core.
beforeAll(async () => {
  for (const _ of [1, 2]) shops.push(await startCuttable())
})
afterAll(async () => {
  for (const { close } of shops) await close()
})

function take() {
  const own = shops[taken++]
  if (own === undefined) throw new Error('There are more tests than shops')
  return own
}
let taken = 0

// The tests mostly wait.
describe.concurrent('a database that goes silent', PATIENTLY, () => {
  test('ends requests soon, whatever a query may take', async ({ expect }) => {
    const { shop, proxy, settings } = take()
    const productId = await createProduct(shop.deps.db, { price: '10', stock: 5 })
    const order = async () => {
      const body = {
        customerName: 'Anna',
        customerPhone: '+79001234567',
        items: [{ productId, quantity: 1 }],
      }
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

  test('ends requests soon although the server accepts new connections', async ({ expect }) => {
    const { shop, proxy, settings } = take()
    const pings = sql`
      select from pg_stat_activity where datname = current_database() and query = 'select 1'`
    // Its next ping finds the silence.
    await expect.poll(async () => (await pings.execute(shop.deps.db)).rows.length, PATIENTLY).toBe(1)
    await Promise.all(Array.from({ length: 20 }, settings))
    proxy.goSilent()
    proxy.recover()
    const statuses = await Promise.all(Array.from({ length: 10 }, settings))
    expect(statuses).toContain(503)
    await expect.poll(settings, PATIENTLY).toBe(200)
  })
})
