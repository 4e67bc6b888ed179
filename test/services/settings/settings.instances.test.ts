import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginAs } from '../../support/accounts.ts'
import { createTestDatabase } from '../../support/database.ts'
import { PROCESS_TIMEOUT_MS } from '../../support/serving-process.ts'
import { startTestShop, type TestShop } from '../../support/shop.ts'

// Two instances on one database (docs/content.md).
let database: { url: string; drop(): Promise<void> }
let writer: TestShop
let reader: TestShop
let admin: string

beforeAll(async () => {
  database = await createTestDatabase()
  writer = await startTestShop({}, { databaseUrl: database.url })
  reader = await startTestShop({}, { databaseUrl: database.url })
  admin = await loginAs(writer, 'ADMIN')
})
afterAll(async () => {
  await writer.close()
  await reader.close()
  await database.drop()
})

async function siteName(shop: TestShop): Promise<unknown> {
  const { body } = await shop.call('POST', '/api/v1/config/batch', { body: ['site_name'] })
  return Object.values(body ?? {})[0]
}

async function rename(value: string): Promise<void> {
  const { status } = await writer.call('PUT', '/api/v1/admin/config/site_name', {
    token: admin,
    body: { value },
  })
  expect(status).toBe(200)
}

/** Changes a value without invalidating caches, so that a cached value is recognizable. */
async function changeSilently(value: string): Promise<void> {
  await reader.deps.db.updateTable('app_config').set({ value }).where('key', '=', 'site_name').execute()
}

const cutListeners = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ~ '^(listen|select 1$)' and pid <> pg_backend_pid()`.execute(
    reader.deps.db,
  )

async function readerHolds(): Promise<void> {
  await expect
    .poll(
      async () => {
        const held = await siteName(reader)
        await changeSilently(`${held}+`)
        return (await siteName(reader)) === held
      },
      { timeout: PROCESS_TIMEOUT_MS },
    )
    .toBe(true)
}

/** An entry that nobody invalidates would still be cached. */
const BELOW_TTL_MS = 20_000

test('shows a change at once locally and soon on other instances', async () => {
  await readerHolds()
  for (const value of ['First', 'Second', 'Third']) {
    await rename(value)
    expect(await siteName(writer)).toBe(value)
    await expect.poll(() => siteName(reader), { timeout: BELOW_TTL_MS, interval: 20 }).toBe(value)
  }
})

test('caches nothing while its listener is disconnected', async () => {
  await readerHolds()
  await expect
    .poll(
      async () => {
        await cutListeners()
        await changeSilently(`Cut ${Math.random()}`)
        const first = await siteName(reader)
        await changeSilently('Now')
        return first !== 'Now' && (await siteName(reader)) === 'Now'
      },
      { timeout: PROCESS_TIMEOUT_MS, interval: 10 },
    )
    .toBe(true)

  await readerHolds()
  await rename('Heard')
  await expect.poll(() => siteName(reader), { timeout: BELOW_TTL_MS, interval: 20 }).toBe('Heard')
})
