import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../src/config.ts'
import { StartError } from '../src/errors.ts'
import { startShop } from '../src/start.ts'
import { queryAll } from './support/backups.ts'
import { createTestDatabase } from './support/database.ts'
import { listen } from './support/loopback.ts'
import { startServing } from './support/serving-process.ts'
import { startTransactionPooler } from './support/transaction-pooler.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'shop-start-'))
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

/** What a busy machine, which needs longer to connect than a start waits, makes of any start. */
const TOO_SLOW = /connection timeout|timeout expired|timeout exceeded/

/** Returns the message of a start that fails. */
async function failure(environment: Record<string, string>): Promise<string> {
  const config = readConfig({
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.url,
    JOBS_ENABLED: 'false',
    SUPPLIER_BASE_URL: 'http://127.0.0.1:9',
    ...environment,
  })
  const outcome = await startShop(config, pino({ level: 'silent' })).catch((error: unknown) => error)
  if (!(outcome instanceof StartError)) {
    if (!(outcome instanceof Error)) await Object(outcome).stop()
    throw new Error('The start did not fail as expected', { cause: outcome })
  }
  expect(outcome.message).not.toContain('s3cr3t')
  return TOO_SLOW.test(outcome.message) ? failure(environment) : outcome.message
}

/** The same of a process: what it prints before it ends. */
async function printed(environment: Record<string, string>): Promise<string> {
  const output = await startServing(database.url, { environment }).catch((error: unknown) => String(error))
  const [, message = ''] = /ended with 1: [\s\S]*The shop could not start: ([\s\S]*)$/.exec(String(output)) ?? []
  expect(message).not.toMatch(/\n\s+at |s3cr3t/)
  return TOO_SLOW.test(message) ? printed(environment) : message.trim()
}

function otherUrl(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

describe.concurrent('a start that fails', () => {
  test('explains a port that is in use', async ({ expect }) => {
    const other = createServer()
    const port = await listen(other)
    // What had started must not keep the process alive.
    const error = await printed({ PORT: String(port) })
    expect(error).toMatch(
      new RegExp(`^HOST 127.0.0.1 and PORT ${port} can't be used \\(listen EADDRINUSE.*\\): set .* free port\\.$`),
    )
    other.close()
  })

  test('explains a database that is missing or rejects the login', async ({ expect }) => {
    const wrongPassword = otherUrl((url) => {
      url.password = 's3cr3t'
    })
    const nowhere = otherUrl((url) => {
      url.pathname = '/nowhere'
    })
    const unusable = (reason: string) =>
      new RegExp(`^DATABASE_URL at \\S+ can't be used \\(${reason}.*\\): it must .*\\.$`)
    expect(await failure({ DATABASE_URL: 'postgres://shop:s3cr3t@127.0.0.1:9/shop' })).toMatch(
      unusable('.*ECONNREFUSED'),
    )
    expect(await failure({ DATABASE_URL: wrongPassword })).toMatch(unusable('password authentication failed'))
    expect(await failure({ DATABASE_URL: nowhere })).toMatch(unusable('database "nowhere" does not exist'))
  })

  test('explains a database behind a pooler in transaction mode, which it would not migrate', async ({ expect }) => {
    const empty = await createTestDatabase({ migrated: false })
    const pooler = await startTransactionPooler(empty.url)
    expect(await failure({ DATABASE_URL: pooler.url })).toMatch(/^DATABASE_URL at .*pooler in transaction mode/)
    expect(await queryAll(empty.url, 'select from pg_stat_user_tables')).toEqual([])
    pooler.close()
    await empty.drop()
  })

  test('explains a Unix socket that is not there', async ({ expect }) => {
    const error = await failure({ DATABASE_URL: 'postgresql:///shop?host=/nowhere' })
    expect(error).toMatch(/^DATABASE_URL can't be used \(connect ENOENT \/nowhere/)
  })

  test('explains certificates that are not there', async ({ expect }) => {
    const url = otherUrl(({ searchParams }) => searchParams.set('sslrootcert', '/nowhere'))
    expect(await failure({ DATABASE_URL: url })).toMatch(/^DATABASE_URL at .*ENOENT.*\/nowhere/)
    const plain = otherUrl(({ searchParams }) => searchParams.set('sslmode', 'verify-full'))
    expect(await failure({ DATABASE_URL: plain })).toMatch(/^DATABASE_URL at .*does not support SSL/)
  })

  test('explains a catalogue that the demo supplier cannot read', async ({ expect }) => {
    const error = await printed({ SUPPLIER_BASE_URL: '', DEMO_CATALOGUE: '/nowhere' })
    expect(error).toMatch(/^DEMO_CATALOGUE \/nowhere can't be read \(ENOENT.*\): it must be a folder/)
  })

  test('explains a database that is not in UTF-8', async ({ expect }) => {
    const client = new pg.Client(database.url)
    await client.connect()
    const name = `${new URL(database.url).pathname.slice(1)}_latin`
    await client.query(`create database ${name} template template0 encoding 'LATIN1' locale 'C'`)
    const latin = otherUrl((url) => {
      url.pathname = name
    })
    expect(await failure({ DATABASE_URL: latin })).toMatch(/^DATABASE_URL at .*LATIN1.*must name a UTF-8 database/)
    await client.query(`drop database ${name}`)
    await client.end()
  })

  test('explains a database in which it may not create tables', async ({ expect }) => {
    const empty = await createTestDatabase({ migrated: false })
    const { pathname } = new URL(empty.url)
    const name = pathname.slice(1)
    const owner = new pg.Client(empty.url)
    await owner.connect()
    await owner.query(`create role ${name} login password 's3cr3t'`)
    const asGuest = new URL(empty.url)
    asGuest.username = name
    asGuest.password = 's3cr3t'
    expect(await failure({ DATABASE_URL: asGuest.href })).toMatch(/^DATABASE_URL at .*permission denied/)
    await owner.query(`alter database ${name} set default_transaction_read_only = on`)
    expect(await failure({ DATABASE_URL: empty.url })).toMatch(/^DATABASE_URL at .*read-only/)
    await owner.query(`drop role ${name}`)
    await owner.end()
    await empty.drop()
  })

  test('explains a host that is not of this machine', async ({ expect }) => {
    expect(await failure({ HOST: '192.0.2.1' })).toMatch(/^HOST 192\.0\.2\.1 and PORT 0 can't be used/)
  })

  test('explains a data folder that is not writable', async ({ expect }) => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    for (const dataDir of [file, join(file, 'below')])
      expect(await failure({ DATA_DIR: dataDir })).toMatch(
        /^DATA_DIR \S+ is not writable \(E\w+.*\): give .* folder\.$/,
      )
  })

  test('a process reports several invalid variables at once, and starts nothing', async ({ expect }) => {
    const message = await printed({ PORT: 'eighty', SYNC_CRON: 'hourly', JWT_SECRET: 's3cr3t' })
    expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual(['PORT', 'JWT_SECRET', 'SYNC_CRON'])
  })
})
