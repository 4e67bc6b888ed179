import { sql } from 'kysely'
import type { StartedTestContainer } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { loginAs } from './support/accounts.ts'
import { engine, skipped, startPostgres } from './support/containers.ts'
import { startTestShop, type TestShop } from './support/shop.ts'

describe.skipIf(!engine)(`on the PostgreSQL of compose.yaml${skipped}`, () => {
  let container: StartedTestContainer
  let databaseUrl: string
  let shop: TestShop

  beforeAll(async () => {
    container = await startPostgres()
    databaseUrl = `postgres://shop:shop@${container.getHost()}:${container.getMappedPort(5432)}/shop`
    await migrate(databaseUrl)
    shop = await startTestShop({}, { databaseUrl })
  }, 180_000)
  afterAll(async () => {
    await shop?.close()
    await container?.stop()
  })

  test('migrates and serves requests', async () => {
    expect(await migrate(databaseUrl)).toEqual([])
    expect((await shop.call('GET', '/health/ready')).status).toBe(200)
    const token = await loginAs(shop, 'ADMIN')
    const body = { value: 'Контейнер' }
    expect((await shop.call('PUT', '/api/v1/admin/config/site_name', { token, body })).status).toBe(200)
    expect((await shop.call('GET', '/api/v1/config/site_name')).body).toEqual({
      key: 'site_name',
      value: 'Контейнер',
    })
  })

  test('pg_trgm recognises Cyrillic letters', async () => {
    const { rows } = await sql<{ grams: string[]; lowered: string }>`
      select show_trgm('дрель') as grams, lower('ДРЕЛЬ') as lowered`.execute(shop.deps.db)
    expect(rows[0]?.grams.length).toBeGreaterThan(3)
    expect(rows[0]?.lowered).toBe('дрель')
  })
})
