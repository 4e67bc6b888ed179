import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
async function failure(environment: Record<string, string>, databaseUrl = database.url): Promise<string> {
  const outcome = await startServing(databaseUrl, { environment }).catch((error: unknown) => String(error))
  if (typeof outcome !== 'string') {
    await outcome.remove()
    throw new Error('The shop started')
  }
  expect(outcome).toMatch(/ended with 1: /)
  const [, message = ''] = outcome.split('The shop could not start: ')
  expect(message).not.toMatch(/\n\s+at |s3cr3t/)
  return message.trim()
}

function otherUrl(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

test.concurrent('explains a port that is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  expect(await failure({ PORT: port })).toBe(
    `Port ${port} of 127.0.0.1 is in use: stop the process that listens there, or change PORT.`,
  )
  other.close()
})

test.concurrent('explains a database that is missing or rejects the login', async () => {
  const wrongPassword = otherUrl((url) => {
    url.password = 's3cr3t'
  })
  const nowhere = otherUrl((url) => {
    url.pathname = '/nowhere'
  })
  const urls = ['postgres://shop:s3cr3t@127.0.0.1:9/shop', wrongPassword, nowhere]
  const [unreachable, rejected, missing] = await Promise.all(urls.map((url) => failure({}, url)))
  expect(unreachable).toBe(
    'The database at 127.0.0.1:9 does not respond (ECONNREFUSED): start it, or correct DATABASE_URL.',
  )
  expect(rejected).toMatch(/^The database at \S+ rejects the user or the password: .*\.$/)
  expect(missing).toMatch(/^There is no database "nowhere" at \S+: create it.*\.$/)
})

test.concurrent('explains a data folder that is not writable', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const folders = [file, join(file, 'below')]
  for (const message of await Promise.all(folders.map((dataDir) => failure({ DATA_DIR: dataDir })))) {
    expect(message).toMatch(/^DATA_DIR \S+ is not writable \(E\w+\): give .* another folder\.$/)
  }
})

test.concurrent('explains a data folder that another shop uses', async () => {
  const environment = { DATABASE_URL: '', DATA_DIR: join(folder, 'shared') }
  const first = await startServing('', { environment })
  try {
    expect(await failure(environment)).toMatch(/^Another running shop uses the data folder .* DATA_DIR\.$/)
  } finally {
    first.child.kill('SIGTERM')
    expect(await first.ended).toBe(0)
    await first.remove()
  }
})

test.concurrent('reports several variables at once', async () => {
  const message = await failure({ PORT: 'eighty', SYNC_CRON: 'hourly', JWT_SECRET: 's3cr3t' })
  expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual(['PORT', 'JWT_SECRET', 'SYNC_CRON'])
})
