import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tryLock } from '../../db/held-locks.ts'
import { findSetting } from '../../db/queries/settings/settings.ts'
import { loginAs } from '../support/accounts.ts'
import { createTestDatabase } from '../support/database.ts'
import { startTestShop, type TestShop } from '../support/shop.ts'
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts'

// What happens when the database goes silent without closing a connection (contract section 11).
const QUERY_TIMEOUT_MS = 1500
/** Waiting for a connection costs at most 5 s, a query its timeout; then the connection is given up. */
const PATIENCE_MS = 10_000
const POOL_SIZE = 10

let database: { url: string; drop(): Promise<void> }
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

async function adminList(): Promise<{ status: number; ms: number }> {
  const startedAt = performance.now()
  const { status } = await shop.call('GET', '/api/v1/admin/config', { token: admin })
  return { status, ms: performance.now() - startedAt }
}

async function becomesOk(): Promise<void> {
  await expect.poll(async () => (await adminList()).status, { timeout: PATIENCE_MS, interval: 200 }).toBe(200)
}

test('requests get a 503 within seconds, and the service recovers by itself', {
  timeout: 60_000,
}, async () => {
  // Every connection of the pool is open, so that every one goes silent.
  await Promise.all(Array.from({ length: POOL_SIZE * 2 }, adminList))
  proxy.goSilent()
  const answers = await Promise.all(Array.from({ length: POOL_SIZE * 2 }, adminList))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(PATIENCE_MS)
  expect((await shop.call('GET', '/health/live')).status).toBe(200)
  expect((await shop.call('GET', '/health/ready')).status).toBe(503)

  proxy.recover()
  await becomesOk()
  expect((await shop.call('GET', '/health/ready')).status).toBe(200)
})

test('a transaction that is cut in the middle fails, and the server soon lets go of its locks', async () => {
  const { db } = shop.deps
  const startedAt = performance.now()
  const cut = db.transaction().execute(async (trx) => {
    await trx.updateTable('app_config').set({ value: 'cut' }).where('key', '=', 'shop_company').execute()
    proxy.goSilent()
    await findSetting(trx, 'shop_company')
  })
  await expect(cut).rejects.toThrow()
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS)
  proxy.recover()
  await becomesOk()
  expect((await findSetting(db, 'shop_company'))?.value).toBe('')
  const write = () =>
    shop.call('PUT', '/api/v1/admin/config/shop_company', { token: admin, body: { value: 'new' } })
  await expect.poll(async () => (await write()).status, { timeout: PATIENCE_MS }).toBe(200)
})

test('a connection that breaks between two statements of a transaction does not take the process along', async () => {
  const { db } = shop.deps
  const cut = db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
    await sleep(200)
    await findSetting(trx, 'site_name')
  })
  await expect(cut).rejects.toThrow()
  await becomesOk()
})

test('a lock is let go of, and asked for, in seconds', async () => {
  const lock = await tryLock(proxy.url, 'ymlFeed')
  proxy.goSilent()
  const startedAt = performance.now()
  await Promise.all([lock?.release(), expect(tryLock(proxy.url, 'supplierSync')).rejects.toThrow('timeout')])
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS)
  proxy.recover()
  const next = await tryLock(proxy.url, 'supplierSync')
  expect(next?.lost.aborted).toBe(false)
  await next?.release()
  await becomesOk()
})

test('what other instances change is seen again soon after the listener went silent', async () => {
  const value = async () => (await shop.call('GET', '/api/v1/config/site_name')).body
  expect(await value()).toEqual({ key: 'site_name', value: 'Shop' })
  proxy.goSilent()
  proxy.recover()
  const other = await startTestShop({}, { databaseUrl: database.url })
  try {
    await other.call('PUT', '/api/v1/admin/config/site_name', { token: admin, body: { value: 'Renamed' } })
    await expect.poll(value, { timeout: 12_000 }).toEqual({ key: 'site_name', value: 'Renamed' })
  } finally {
    await other.close()
  }
})
