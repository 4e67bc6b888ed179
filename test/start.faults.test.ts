import { createServer } from 'node:net'
import { sql } from 'kysely'
import { afterAll, describe, test } from 'vitest'
import { openDatabase } from '../db/database.ts'
import { findRun } from '../db/queries/supplier/runs.ts'
import { createTestDatabase } from './support/database.ts'
import { untilWaiting } from './support/locks.ts'
import { startS3Server } from './support/s3-server.ts'
import { PROCESS_TIMEOUT_MS, type ServingProcess, startServing } from './support/serving-process.ts'

// What a start does once it listens may fail: the shop serves, and tries again.
const PATIENTLY = { timeout: PROCESS_TIMEOUT_MS, interval: 100 }
const ends: (() => Promise<void>)[] = []

afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function newDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase()
  ends.push(drop)
  return url
}

async function serve(databaseUrl: string, environment: Record<string, string> = {}): Promise<ServingProcess> {
  const shop = await startServing(databaseUrl, { environment })
  ends.push(shop.remove)
  return shop
}
const statusOf = async ({ url }: ServingProcess, path: string) => (await fetch(url + path)).status

describe.concurrent('a start', () => {
  test('a database connection that breaks after the start is replaced', async ({ expect }) => {
    const databaseUrl = await newDatabase()
    const { db, close } = openDatabase(databaseUrl, () => {})
    const { id } = await db
      .insertInto('sync_runs')
      .values({ status: 'RUNNING', trigger: 'CRON', started_at: new Date() })
      .returning('id')
      .executeTakeFirstOrThrow()
    const shop = await db.transaction().execute(async (trx) => {
      await sql`lock table sync_runs in access exclusive mode`.execute(trx)
      const started = await serve(databaseUrl)
      await untilWaiting(db)
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      await expect.poll(started.output, PATIENTLY).toContain('start step failed')
      return started
    })
    await expect.poll(() => findRun(db, id), PATIENTLY).toMatchObject({ status: 'FAILED' })
    expect([shop.child.exitCode, await statusOf(shop, '/health/ready')]).toEqual([null, 200])
    await close()
  })

  test('an object storage that is away at the start is waited for', async ({ expect }) => {
    const port = await freePort()
    const shop = await serve(await newDatabase(), {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: 'shop-objects',
      S3_ACCESS_KEY: 'S3RVER',
      S3_SECRET_KEY: 'S3RVER',
    })
    expect(await statusOf(shop, '/api/v1/products')).toBe(200)
    for (let probe = 0; probe < 3; probe++) expect(await statusOf(shop, '/health/ready')).toBe(503)
    const reason = `S3_ENDPOINT http://127.0.0.1:${port} can't be used with S3_BUCKET shop-objects (connect ECONNREFUSED`
    await expect.poll(shop.output, PATIENTLY).toContain(reason)
    const storage = await startS3Server(port)
    await expect.poll(() => statusOf(shop, '/health/ready'), PATIENTLY).toBe(200)
    await expect.poll(shop.output, PATIENTLY).toContain('"part":"storage","msg":"ready again"')
    expect(shop.output().match(/not ready|does not answer/g)).toHaveLength(1)
    await storage.close()
  })
})

/** A free port below those that the system gives to other sockets meanwhile. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
