import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { createStorage } from '../../src/clients/storage/configured.ts'
import { createTestDatabase } from './database.ts'

export type Place = { url: string; config: { dataDir: string; s3: undefined }; remove(): Promise<void> }

/** Creates an empty database and folder to restore into. */
export async function newPlace(): Promise<Place> {
  const database = await createTestDatabase({ migrated: false })
  const dataDir = await mkdtemp(join(tmpdir(), 'shop-restored-'))
  return {
    url: database.url,
    config: { dataDir, s3: undefined },
    async remove() {
      await database.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

export async function queryAll<T extends pg.QueryResultRow>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/**
 * The number and a digest of the rows of every table, generated columns included, in whatever order the columns are. Unlogged
 * tables hold no data.
 */
export async function rowsOf(url: string): Promise<object[]> {
  const tables = await queryAll<{ name: string }>(
    url,
    `select relname as name from pg_class
    where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace`,
  )
  const counts = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*)::int as rows, md5(string_agg(row, '|' order by row)) as digest
      from "${name}" t, lateral cast(to_jsonb(t) as text) as row`,
  )
  return queryAll(url, `${counts.join(' union all ')} order by 1`)
}

/** The stored files with their content, in base64 because that is quick to compare. */
export async function filesOf(dataDir: string): Promise<Map<string, string>> {
  const storage = createStorage({ dataDir, s3: undefined })
  const found = new Map<string, string>()
  for (const { key } of (await Array.fromAsync(storage.list(''))).sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const file = await storage.open(key)
    if (file) found.set(key, (await buffer(file)).toString('base64'))
  }
  return found
}

const ROOT = join(import.meta.dirname, '..', '..')

/** Runs `npm run backup` or `npm run restore` in a child process, of the code in `cwd`. */
export function runScript(script: 'backup' | 'restore', file: string, url: string, dataDir: string, cwd = ROOT) {
  const child = spawn(process.execPath, [`src/backup/${script}.ts`, file], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: url,
      DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return { child, ended: once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, output })) }
}
