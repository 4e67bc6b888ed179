import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../db/migrate.ts'
import { NOT_DURABLE, startTemporaryPostgres } from './support/temporary-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: string
  }
}

/**
 * Starts one temporary PostgreSQL server for all projects, with a migrated database that each test file clones.
 */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const everyone = vitest.getRootProject()
  if (Object.hasOwn(everyone.getProvidedContext(), 'databaseServer')) return undefined
  // Tests of plans refresh the statistics that they need; others may not depend on when PostgreSQL does.
  // Dropping a database searches all of the shared buffers.
  const settings = { ...NOT_DURABLE, autovacuum: 'off', shared_buffers: '64MB' }
  const server = await startTemporaryPostgres({ parent: await serverParent(), settings })
  await migrate(server.url)
  const admin = new pg.Client(withDatabase(server.url, 'postgres'))
  await admin.connect()
  await admin.query('alter database shop rename to template_shop')
  // A template can't be cloned while a client is connected.
  await admin.query('alter database template_shop allow_connections false')
  // Tests open thousands of connections; hashing the password 4096 times for each would take most of that time.
  await admin.query('set scram_iterations = 1')
  const { username, password } = new URL(server.url)
  await admin.query(`alter role ${username} password ${admin.escapeLiteral(password)}`)
  await admin.end()
  everyone.provide('databaseServer', server.url)
  return server.stop
}

const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 3 * 2 ** 30

/** Memory where there is enough of it: every test file clones a database, which is 600 small files. */
async function serverParent(): Promise<string> {
  const free = await statfs(MEMORY_FOLDER).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return free >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir()
}

function withDatabase(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}
