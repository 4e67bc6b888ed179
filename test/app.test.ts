import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSocket } from './support/raw-http.ts'
import { startTestShop, type TestShop } from './support/shop.ts'

let shop: TestShop

beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop.close())

test('is not ready while the storage cannot be written', async () => {
  const full = await startTestShop()
  try {
    const objects = join(full.deps.config.dataDir, 'objects')
    await mkdir(objects, { recursive: true })
    await writeFile(join(objects, '.half-written'), '')
    const answer = await full.call('GET', '/health/ready')
    expect([answer.status, answer.body]).toMatchObject([503, { message: expect.stringContaining('storage') }])
  } finally {
    await full.close()
  }
})

test('is not ready while the database is read-only, as after a failover', async () => {
  const standby = await startTestShop()
  try {
    const { db, config } = standby.deps
    const name = new URL(config.databaseUrl).pathname.slice(1)
    await sql`alter database ${sql.id(name)} set default_transaction_read_only = on`.execute(db)
    // Of new sessions only.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      .execute(db)
      .catch(() => {})
    const ready = async () => (await standby.call('GET', '/health/ready')).status
    await expect.poll(ready, { timeout: 20_000 }).toBe(503)
    expect((await standby.call('GET', '/api/v1/products')).status).toBe(200)
  } finally {
    await standby.close()
  }
})

test('reports liveness and readiness', async () => {
  expect((await shop.call('GET', '/health/live')).body).toEqual({ status: 'UP' })
  expect((await shop.call('GET', '/health/ready')).body).toEqual({ status: 'UP' })
})

test('leads from the root to the description of the API', async () => {
  const { headers, status } = await shop.call('GET', '/')
  expect([status, headers.get('location')]).toEqual([302, '/swagger-ui.html'])
})

test('answers a path that is not UTF-8 in the common error shape', async () => {
  const answer = await shop.call('GET', '/%c0%ae')
  expect(answer.status).toBe(400)
  expect(answer.body).toMatchObject({
    error: 'Bad Request',
    code: 'VALIDATION_FAILED',
    requestId: expect.any(String),
  })
})

test('rejects a route without declared access at start', async () => {
  const other = await startTestShop(
    {},
    {
      prepare: (app) => void app.get('/forgotten', async () => 'seen'),
    },
  ).catch((error: unknown) => error)
  expect(String(other)).toContain('Routes without access: GET /forgotten')
})

test('waits for current requests on stop, but not for idle connections', async () => {
  const { promise: underWay, resolve: begin } = Promise.withResolvers<void>()
  const work = Promise.withResolvers<string>()
  const slow = () => {
    begin()
    return work.promise
  }
  const other = await startTestShop(
    {},
    { prepare: (app) => void app.get('/slow', { config: { access: 'public' } }, slow) },
  )
  const idle = await openSocket(other.url)
  idle.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(idle, 'data')
  const answer = other.call('GET', '/slow')
  await underWay
  const dropped = once(idle, 'close')
  const closing = other.close()
  await dropped
  work.resolve('done')
  expect((await answer).text).toBe('done')
  await closing
})
