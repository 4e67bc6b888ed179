import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { type ExclusiveWork, tryLock } from '../../db/locks.ts'
import { findSetting } from '../../db/queries/settings/settings.ts'
import { type CuttableShop, startCuttableShop } from '../support/cuttable-shop.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { startSilentProxy } from '../support/silent-proxy.ts'

// The database stops responding without closing connections (docs/operations.md).
const QUERY_TIMEOUT_MS = 1500
const POOL_SIZE = 10
const SHOPS = 3

const shops: CuttableShop[] = []
let otherInstance: TestShop

// One per test that needs its own, started one after the other: starting needs a whole core.
beforeAll(async () => {
  for (let n = 0; n < SHOPS; n++) shops.push(await startCuttableShop(QUERY_TIMEOUT_MS))
  otherInstance = await startTestShop({}, { databaseUrl: take(2).databaseUrl })
})
afterAll(async () => {
  await otherInstance.close()
  for (const { close } of shops) await close()
})

function take(index: number): CuttableShop {
  const own = shops[index]
  if (own === undefined) throw new Error('There are more tests than SHOPS')
  return own
}

const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS }

/** A busy machine may not connect in time. */
const acquired = (url: string, work: ExclusiveWork) => vi.waitFor(() => tryLock(url, work), PATIENTLY)

test('a connection that breaks between two statements fails their transaction only', async () => {
  const { shop, settings } = take(0)
  const { db } = shop.deps
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    const alive = sql`select pg_terminate_backend(pid) from pg_stat_activity where pid = ${rows[0]?.pid}`
    await expect.poll(async () => (await alive.execute(db)).rows).toEqual([])
    await findSetting(trx, 'site_name')
  })
  await expect(cut).rejects.toThrow()
  expect(await settings()).toBe(200)
})

test('a connection that breaks once the pool is closed is no loss', async () => {
  const { shop, databaseUrl } = take(0)
  const onLost = vi.fn()
  const { db, close } = openDatabase(databaseUrl, onLost)
  let closed: Promise<void> | undefined
  await db.connection().execute(async (held) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(held)
    closed = close()
    const alive = sql`select pg_terminate_backend(pid) from pg_stat_activity where pid = ${rows[0]?.pid}`
    await expect.poll(async () => (await alive.execute(shop.deps.db)).rows).toEqual([])
    await expect(sql`select 1`.execute(held)).rejects.toThrow()
  })
  await closed
  expect(onLost).not.toHaveBeenCalled()
})

// The tests mostly wait.
describe.concurrent('a database that stops responding', PATIENTLY, () => {
  test('answers requests with 503 within seconds, and recovers', async ({ expect }) => {
    const { shop, proxy, settings } = take(0)
    // Open every connection of the pool first.
    await Promise.all(Array.from({ length: POOL_SIZE * 2 }, settings))
    proxy.goSilent()
    const answers = await Promise.all(Array.from({ length: POOL_SIZE * 2 }, settings))
    expect(new Set(answers)).toEqual(new Set([503]))
    expect((await shop.call('GET', '/health/live')).status).toBe(200)
    expect((await shop.call('GET', '/health/ready')).status).toBe(503)

    proxy.recover()
    await expect.poll(settings, PATIENTLY).toBe(200)
    expect((await shop.call('GET', '/health/ready')).status).toBe(200)
  })

  test('fails an interrupted transaction, whose locks the server releases soon', async ({ expect }) => {
    const { shop, proxy, admin, settings } = take(1)
    const { db } = shop.deps
    const cut = db.transaction().execute(async (trx) => {
      await trx.updateTable('app_config').set({ value: 'cut' }).where('key', '=', 'shop_company').execute()
      proxy.goSilent()
      await findSetting(trx, 'shop_company')
    })
    await expect(cut).rejects.toThrow()
    proxy.recover()
    await expect.poll(settings, PATIENTLY).toBe(200)
    expect((await findSetting(db, 'shop_company'))?.value).toBe('')
    const write = () => shop.call('PUT', '/api/v1/admin/config/shop_company', { token: admin, body: { value: 'new' } })
    await expect.poll(async () => (await write()).status, PATIENTLY).toBe(200)
  })

  test('releases and acquires locks within seconds', async ({ expect }) => {
    const proxy = await startSilentProxy(take(0).databaseUrl)
    const lock = await acquired(proxy.url, 'xmlPipeline')
    proxy.goSilent()
    await Promise.all([lock?.release(), expect(tryLock(proxy.url, 'supplierSync')).rejects.toThrow('timeout')])
    proxy.recover()
    const next = await acquired(proxy.url, 'supplierSync')
    expect(next).not.toBeNull()
    await next?.release()
    await proxy.close()
  })

  test("sees changes of other instances soon after the listener's connection was lost", async ({ expect }) => {
    const { shop, proxy, admin } = take(2)
    const value = async () => (await shop.call('GET', '/api/v1/config/site_name')).body
    await expect.poll(value, PATIENTLY).toEqual({ key: 'site_name', value: 'Shop' })
    proxy.goSilent()
    proxy.recover()
    const body = { value: 'Renamed' }
    await otherInstance.call('PUT', '/api/v1/admin/config/site_name', { token: admin, body })
    await expect.poll(value, PATIENTLY).toEqual({ key: 'site_name', value: 'Renamed' })
  })
})
