import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../db/embedded/server.ts'
import { readConfig } from '../src/config.ts'
import { StartError } from '../src/errors.ts'
import { startShop } from '../src/start.ts'
import { createTestDatabase } from './support/database.ts'
import { startServing } from './support/serving-process.ts'

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

/** Returns the message of a start that fails. */
async function failure(environment: Record<string, string>): Promise<string> {
  const config = readConfig({
    ...{ PORT: '0', DATA_DIR: join(folder, 'data'), DATABASE_URL: database.url, JOBS_ENABLED: 'false' },
    ...{ SUPPLIER_BASE_URL: 'http://127.0.0.1:9', ...environment },
  })
  const outcome = await startShop(config, pino({ level: 'silent' })).catch((error: unknown) => error)
  if (!(outcome instanceof StartError)) {
    if (!(outcome instanceof Error)) await Object(outcome).stop()
    throw new Error('The start did not fail as expected', { cause: outcome })
  }
  expect(outcome.message).not.toContain('s3cr3t')
  return outcome.message
}

function otherUrl(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

test('explains a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const message = `Port ${port} of 127.0.0.1 is in use: stop the process that listens there, or change PORT.`
  expect(await failure({ PORT: port })).toBe(message)
  // As the operator sees it.
  const process = startServing(database.url, { environment: { PORT: port } })
  await expect(process).rejects.toThrow(/^ended with 1: /)
  await expect(process).rejects.toThrow(`The shop could not start: ${message}`)
  await expect(process).rejects.not.toThrow(/\n\s+at /)
  other.close()
})

test('explains a database that is missing or rejects the login', async () => {
  const wrongPassword = otherUrl((url) => {
    url.password = 's3cr3t'
  })
  const nowhere = otherUrl((url) => {
    url.pathname = '/nowhere'
  })
  expect(await failure({ DATABASE_URL: 'postgres://shop:s3cr3t@127.0.0.1:9/shop' })).toBe(
    'The database at 127.0.0.1:9 does not respond (ECONNREFUSED): start it, or correct DATABASE_URL.',
  )
  expect(await failure({ DATABASE_URL: wrongPassword })).toMatch(
    /^The database at \S+ rejects the user or the password: .*\.$/,
  )
  expect(await failure({ DATABASE_URL: nowhere })).toMatch(
    /^There is no database "nowhere" at \S+: create it.*\.$/,
  )
})

test('explains a data folder that is not writable', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  for (const dataDir of [file, join(file, 'below')])
    expect(await failure({ DATA_DIR: dataDir })).toMatch(
      /^DATA_DIR \S+ is not writable \(E\w+\): give .* another folder\.$/,
    )
})

test('explains a data folder that another shop uses', async () => {
  const dataDir = join(folder, 'shared')
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  try {
    expect(await failure({ DATABASE_URL: '', DATA_DIR: dataDir })).toMatch(
      /^Another running shop uses the data folder .* DATA_DIR\.$/,
    )
  } finally {
    await server.stop()
  }
})

test('a process reports several invalid variables at once, and starts nothing', async () => {
  const environment = { PORT: 'eighty', SYNC_CRON: 'hourly', JWT_SECRET: 's3cr3t' }
  const error = await startServing(database.url, { environment }).catch((reason: unknown) => String(reason))
  const [, message = ''] = String(error).split('The shop could not start: ')
  expect(error).toContain('ended with 1: ')
  expect(message).not.toMatch(/\n\s+at |s3cr3t/)
  expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'PORT',
    'JWT_SECRET',
    'SYNC_CRON',
    '',
  ])
})
