import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openDatabase } from '../../db/database.ts'
import { listMigrations, migrate, migrateWithin } from '../../db/migrate.ts'
import { listAlerts } from '../../db/queries/operations/alerts.ts'
import { BASELINE, LAST_OF_0_1 } from '../../db/upgrade.ts'
import { checkAlerts } from '../../src/services/operations/alerts.ts'
import { rebuild } from '../../src/services/published/publishing.ts'
import { explainDatabaseError } from '../../src/start-failures.ts'
import { loginAs } from '../support/accounts.ts'
import { queryAll } from '../support/backups.ts'
import { catalogOf } from '../support/catalog.ts'
import { createTestDatabase } from '../support/database.ts'
import { whileLocked } from '../support/locks.ts'
import { migrateInProcess } from '../support/migrations.ts'
import { placeOrder } from '../support/orders.ts'
import { startTestShop } from '../support/shop.ts'
import { createDatabaseOf01 } from '../support/shop-of-01.ts'

type Row = { table: string; row: object }

/** All rows but those of the migrations, without the columns that the upgrade adds and drops. */
async function rowsOf(url: string): Promise<Row[]> {
  const tables = await queryAll<{ name: string }>(
    url,
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname not like 'kysely%' order by 1`,
  )
  const selects = tables.map(
    ({ name }) =>
      `select '${name}' as table, to_jsonb(t) - '{lease,leased_until,waits_for_acceptance}'::text[] as row from "${name}" t`,
  )
  return queryAll<Row>(url, `${selects.join(' union all ')} order by 1, 2`)
}

const migrationsOf = async (url: string) =>
  (await queryAll<{ name: string }>(url, `select name from kysely_migration order by name collate "C"`)).map(
    ({ name }) => name,
  )

/** Migrates as far as 1.0.0 did. */
async function migrateToBaseline(url: string): Promise<string[]> {
  const { db, close } = openDatabase(url, () => {}, { max: 1 })
  return db
    .transaction()
    .execute((tx) => migrateWithin(tx, BASELINE.at(-1)))
    .finally(close)
}

test('a database of 0.1.0 goes on with its data, on the schema of a new one', async () => {
  const [old, fresh] = await Promise.all([createDatabaseOf01(), createTestDatabase({ migrated: false })])
  try {
    const before = await rowsOf(old.url)
    expect(new Set(before.map(({ table }) => table)).size).toBeGreaterThan(50)
    expect(await migrateToBaseline(old.url)).toEqual(BASELINE)
    expect(await migrateToBaseline(fresh.url)).toEqual(BASELINE)
    expect(await rowsOf(old.url)).toEqual(before)
    expect(await catalogOf(old.url)).toEqual(await catalogOf(fresh.url))
    expect(await migrationsOf(old.url)).toEqual(await migrationsOf(fresh.url))
    expect(await migrateToBaseline(old.url)).toEqual([])
  } finally {
    await Promise.all([old.drop(), fresh.drop()])
  }
})

test('a new database has the settings that one of 0.1.0 began with', async () => {
  const [old, fresh] = await Promise.all([createDatabaseOf01(), createTestDatabase({ migrated: false })])
  const settings = `select key, description, is_public, value from app_config order by key collate "C"`
  try {
    await migrateToBaseline(fresh.url)
    const began = new Map((await queryAll<{ key: string }>(fresh.url, settings)).map((row) => [row.key, row]))
    expect(began.size).toBe(50)
    // Staff have changed two and added one.
    const others = (await queryAll<{ key: string }>(old.url, settings)).filter((row) => {
      return !isDeepStrictEqual(row, began.get(row.key))
    })
    expect(others.map(({ key }) => key)).toEqual(['job_purge_enabled', 'own_setting', 'site_name'])
  } finally {
    await Promise.all([old.drop(), fresh.drop()])
  }
})

test('a shop of 0.1.0 reads and writes after the upgrade', async () => {
  const { url, drop } = await createDatabaseOf01()
  await migrate(url)
  const shop = await startTestShop({}, { databaseUrl: url, publishes: true })
  try {
    const token = await loginAs(shop, 'ADMIN')
    const product = await shop.call('GET', '/api/v1/products/by-slug/drel-elka')
    expect(product).toMatchObject({ status: 200, body: { name: expect.stringContaining('Ёлка'), brand: { id: 1 } } })
    const orders = await shop.call('GET', '/api/v1/admin/orders?sort=id', { token })
    expect(orders.body).toMatchObject({
      content: [{ status: 'SENT' }, { status: 'CANCELLED' }, { status: 'PROCESSING' }, { status: 'NEW' }],
    })
    expect((await shop.call('GET', '/api/v1/config/public')).body).toMatchObject({ site_name: 'Старый магазин' })
    expect(await placeOrder(shop, [{ productId: 1, quantity: 1 }])).toMatchObject({ number: '000005' })
    expect(await rebuild(shop.deps, 'feed')).toMatchObject({ status: 'PUBLISHED' })
    // The last sync of 0.1.0 missed half of the products, and still waits for an operator.
    await checkAlerts(shop.deps)
    const open = (await listAlerts(shop.deps.db, 100)).filter(({ ended_at }) => ended_at === null)
    expect(open.map(({ name }) => name)).toContain('SyncWaiting')
  } finally {
    await shop.close()
    await drop()
  }
})

test('refuses a database without the last migration of 0.1.0, and changes nothing', async () => {
  const { url, drop } = await createDatabaseOf01()
  try {
    await queryAll(url, `delete from kysely_migration where name = '${LAST_OF_0_1}'`)
    const before = [await catalogOf(url), await migrationsOf(url)]
    const error = await migrate(url).catch((refusal: unknown) => explainDatabaseError(refusal, url))
    expect(String(error)).toMatch(
      /^StartError: DATABASE_URL at \S+ can't be used \(its schema is older than .* of 0\.1\.0, .*\): start the last 0\.1\.0 on it/,
    )
    expect([await catalogOf(url), await migrationsOf(url)]).toEqual(before)
  } finally {
    await drop()
  }
})

test('instances that start together upgrade once', async () => {
  const { url, drop } = await createDatabaseOf01()
  try {
    const applied = await Promise.all([migrateInProcess(url), migrateInProcess(url)])
    expect(applied.toSorted((one, other) => one.length - other.length)).toEqual([[], await listMigrations()])
    expect(await migrationsOf(url)).toEqual(await listMigrations())
  } finally {
    await drop()
  }
})

test('gives way to whoever holds a lock, and repeats the whole upgrade', async () => {
  const { url, drop } = await createDatabaseOf01()
  const { db, close } = openDatabase(url, () => {})
  try {
    const repeated = Promise.withResolvers<unknown>()
    const upgrade = await whileLocked(
      db,
      (trx) => sql`lock table webhooks in access share mode`.execute(trx),
      async () => {
        const migrating = migrate(url, repeated.resolve)
        await repeated.promise
        expect(await migrationsOf(url)).toContain(LAST_OF_0_1)
        return { migrating }
      },
    )
    expect(await upgrade.migrating).toEqual(await listMigrations())
  } finally {
    await close()
    await drop()
  }
})
