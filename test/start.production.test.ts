import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { startShop } from '../src/start.ts'
import { createTestDatabase } from './support/database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let dataDir: string

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'shop-production-'))
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

const readEnvironment = (environment: Record<string, string>) =>
  readConfig({
    NODE_ENV: 'production',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    JWT_SECRET: '0123456789abcdef'.repeat(4),
    SITE_URL: 'https://shop.example',
    JOBS_ENABLED: 'false',
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
    SUPPLIER_TOKEN: 'x',
    ...environment,
  })

/** Starts and stops a shop in production. @returns what it logged */
async function logOfStart(environment: Record<string, string>): Promise<string> {
  let output = ''
  const log = pino(
    { level: 'info' },
    {
      write(line: string) {
        output += line
      },
    },
  )
  await (await startShop(readEnvironment(environment), log)).stop()
  return output
}

test('warns until there is an administrator and a mail server', async () => {
  const admin = { ADMIN_EMAIL: 'admin@shop.example', ADMIN_PASSWORD: 'a long enough password' }
  const first = await logOfStart({})
  expect(first).toContain('no administrator exists: set ADMIN_EMAIL and ADMIN_PASSWORD')
  expect(first).toMatch(/"level":40,.*SMTP_URL is not set/)
  expect(await logOfStart(admin)).toContain('first administrator created')
  // As after a restore into a new folder: no file claims to hold the administrator's password.
  expect(await logOfStart({ NODE_ENV: 'development' })).not.toContain('administrator exists')
  expect(await readdir(dataDir)).not.toContain('admin-password')
})

test('announces a stop to clients before it closes their connections', async () => {
  const shop = await startShop(readEnvironment({}), pino({ level: 'silent' }))
  const stopped = shop.stop()
  // Once the schedules have stopped.
  await new Promise(setImmediate)
  const { status, headers } = await fetch(`${shop.url}/health/ready`)
  expect([status, headers.get('connection')]).toEqual([503, 'close'])
  await stopped
})

test('stops its other parts when one fails to stop', async () => {
  const shop = await startShop(readEnvironment({}), pino({ level: 'silent' }))
  const { db } = shop.app.deps
  vi.spyOn(shop.app, 'close').mockRejectedValueOnce(new Error('not closed'))
  await expect(shop.stop()).rejects.toThrow('not closed')
  await expect(db.selectFrom('users').select('id').execute()).rejects.toThrow()
})
