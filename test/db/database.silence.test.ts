import { sql } from 'kysely'
import { afterAll, beforeAll, describe, type TestContext, test, vi } from 'vitest'
import { type AdvisoryLockName, tryLock } from '../../db/advisory-locks.ts'
import { findSetting } from '../../db/queries/settings/settings.ts'
import { loginAs } from '../support/accounts.ts'
import { createTestDatabase } from '../support/database.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop } from '../support/shop.ts'
import { startSilentProxy } from '../support/silent-proxy.ts'

// The database stops responding without closing connections (contract section 11).
const QUERY_TIMEOUT_MS = 1500
const POOL_SIZE = 10
const TESTS = 5

type Cuttable = Awaited<ReturnType<typeof startCuttable>>
const unused: Cuttable[] = []
const started: Cuttable[] = []

// One per test, started one after the other: starting needs a whole core.
beforeAll(async () => {
  for (let n = 0; n < TESTS; n++) started.push(await startCuttable())
  unused.push(...started)
})
afterAll(async () => {
  for (const { close } of started) await close()
})

/** A shop behind a proxy to its database. */
async function startCuttable() {
  const database = await createTestDatabase()
  const proxy = await startSilentProxy(database.url)
  const shop = await startTestShop({}, { databaseUrl: proxy.url, queryTimeoutMs: QUERY_TIMEOUT_MS })
  const admin = await loginAs(shop, 'ADMIN')
  return {
    database,
    proxy,
    shop,
    admin,
    async adminList(): Promise<number> {
      return (await shop.call('GET', '/api/v1/admin/config', { token: admin })).status
    },
    async close() {
      await shop.close()
      await proxy.close()
      await database.drop()
    },
  }
}

/** Bypasses the proxy. */
function take({ expect }: TestContext) {
  const own = unused.pop()
  if (own === undefined) throw new Error('There are more tests than TESTS')
  async function becomesOk(): Promise<void> {
    await expect.poll(() => own?.adminList(), { timeout: PROCESS_TIMEOUT_MS }).toBe(200)
  }
  return { ...own, expect, becomesOk }
}

/** A busy machine may not connect in time. */
const acquired = (url: string, name: AdvisoryLockName) =>
  vi.waitFor(() => tryLock(url, name), { timeout: PROCESS_TIMEOUT_MS })

// The tests mostly wait.
describe.concurrent('a database that stops responding', { timeout: PROCESS_TIMEOUT_MS }, () => {
  test('answers requests with 503 within seconds, and recovers', async (context) => {
    const { expect, shop, proxy, adminList, becomesOk } = take(context)
    // Open every connection of the pool first.
    await Promise.all(Array.from({ length: POOL_SIZE * 2 }, adminList))
    proxy.goSilent()
    const answers = await Promise.all(Array.from({ length: POOL_SIZE * 2 }, adminList))
    expect(new Set(answers)).toEqual(new Set([503]))
    expect((await shop.call('GET', '/health/live')).status).toBe(200)
    expect((await shop.call('GET', '/health/ready')).status).toBe(503)

    proxy.recover()
    await becomesOk()
    expect((await shop.call('GET', '/health/ready')).status).toBe(200)
  })

  test('fails an interrupted transaction, whose locks the server releases soon', async (context) => {
    const { expect, shop, proxy, admin, becomesOk } = take(context)
    const { db } = shop.deps
    const cut = db.transaction().execute(async (trx) => {
      await trx.updateTable('app_config').set({ value: 'cut' }).where('key', '=', 'shop_company').execute()
      proxy.goSilent()
      await findSetting(trx, 'shop_company')
    })
    await expect(cut).rejects.toThrow()
    proxy.recover()
    await becomesOk()
    expect((await findSetting(db, 'shop_company'))?.value).toBe('')
    const write = () =>
      shop.call('PUT', '/api/v1/admin/config/shop_company', { token: admin, body: { value: 'new' } })
    await expect.poll(async () => (await write()).status, { timeout: PROCESS_TIMEOUT_MS }).toBe(200)
  })

  test('survives a connection that breaks between two statements of a transaction', async (context) => {
    const { expect, shop, becomesOk } = take(context)
    const { db } = shop.deps
    const cut = db.transaction().execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      const alive = sql`select pg_terminate_backend(pid) from pg_stat_activity where pid = ${rows[0]?.pid}`
      await expect.poll(async () => (await alive.execute(db)).rows).toEqual([])
      await findSetting(trx, 'site_name')
    })
    await expect(cut).rejects.toThrow()
    await becomesOk()
  })

  test('releases and acquires locks within seconds', async (context) => {
    const { expect, proxy, becomesOk } = take(context)
    const lock = await acquired(proxy.url, 'ymlFeed')
    proxy.goSilent()
    await Promise.all([
      lock?.release(),
      expect(tryLock(proxy.url, 'supplierSync')).rejects.toThrow('timeout'),
    ])
    proxy.recover()
    await becomesOk()
    const next = await acquired(proxy.url, 'supplierSync')
    expect(next?.lost.aborted).toBe(false)
    await next?.release()
  })

  test("sees changes of other instances soon after the listener's connection was lost", async (context) => {
    const { expect, shop, database, proxy, admin } = take(context)
    const value = async () => (await shop.call('GET', '/api/v1/config/site_name')).body
    await expect.poll(value, { timeout: PROCESS_TIMEOUT_MS }).toEqual({ key: 'site_name', value: 'Shop' })
    proxy.goSilent()
    proxy.recover()
    const other = await startTestShop({}, { databaseUrl: database.url })
    try {
      await other.call('PUT', '/api/v1/admin/config/site_name', { token: admin, body: { value: 'Renamed' } })
      await expect
        .poll(value, { timeout: PROCESS_TIMEOUT_MS })
        .toEqual({ key: 'site_name', value: 'Renamed' })
    } finally {
      await other.close()
    }
  })
})
