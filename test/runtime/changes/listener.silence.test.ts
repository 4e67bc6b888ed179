import { sql } from 'kysely'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CuttableShop, startCuttableShop } from '../../support/cuttable-shop.ts'
import { createProduct } from '../../support/factories.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'

/** Beyond the test's own, so that only the listener can end a query. */
const QUERY_TIMEOUT_MS = 2 * PROCESS_TIMEOUT_MS
const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS }

const shops: CuttableShop[] = []

// One per test, started one after the other: starting needs a whole core.
beforeAll(async () => {
  for (const _ of [1, 2]) shops.push(await startCuttableShop(QUERY_TIMEOUT_MS))
})
afterAll(async () => {
  for (const { close } of shops) await close()
})

function take(index: number): CuttableShop {
  const own = shops[index]
  if (own === undefined) throw new Error('There are more tests than shops')
  return own
}

// The tests mostly wait.
describe.concurrent('a database that goes silent', PATIENTLY, () => {
  test('ends requests soon, whatever a query may take', async ({ expect }) => {
    const { shop, proxy, settings } = take(0)
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
    const statuses = await Promise.all([...Array.from({ length: 20 }, settings), ...Array.from({ length: 6 }, order)])
    expect(new Set(statuses)).toEqual(new Set([503]))
    proxy.recover()
    await expect.poll(settings, PATIENTLY).toBe(200)
  })

  test('ends requests soon although the server accepts new connections', async ({ expect }) => {
    const { shop, proxy, settings } = take(1)
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
