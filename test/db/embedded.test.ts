import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from '../../db/embedded/server.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'
import { NOT_DURABLE } from '../support/temporary-postgres.ts'

const MODULE = new URL('../../db/embedded/server.ts', import.meta.url).href

/** An owner process: starts the server and reports its URL. */
const OWNER = `
const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)})
process.on('SIGINT', () => {})
process.stdin.once('end', () => process.exit(1))
try {
  const server = await startEmbeddedPostgres(process.argv[1], { fsync: 'off' })
  console.log(JSON.stringify({ url: server.url }))
} catch (error) {
  console.log(JSON.stringify({ error: error.message }))
}`

interface Report {
  url: string
  error?: string
}

let root: string
const owners: { child: ChildProcess; dataDir: string }[] = []
const servers: EmbeddedPostgres[] = []

async function spawnOwner(dataDir: string): Promise<{ child: ChildProcess; report: Report }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', OWNER, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  owners.push({ child, dataDir })
  if (!child.stdout) throw new Error('no output')
  const [line] = await once(createInterface(child.stdout), 'line')
  const report: Report = JSON.parse(String(line))
  return { child, report }
}

async function start(dataDir: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dataDir, { ...NOT_DURABLE, ...settings })
  servers.push(server)
  return server
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

/** Command lines of running processes, read from /proc because minimal Linux images lack ps. */
async function commandLines(): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = []
  if (process.platform === 'linux') {
    for (const name of await fs.readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue
      found.push({
        pid: Number(name),
        command: await fs.readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
      })
    }
    return found
  }
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  // The watcher's arguments span several lines: split at lines that start with a process id.
  for (const entry of stdout.split(/\n(?=\s*\d+ )/)) {
    found.push({ pid: Number.parseInt(entry, 10), command: entry })
  }
  return found
}

/** Server and watcher: processes with the folder on their command line. */
async function processesOf(dataDir: string): Promise<{ pid: number; command: string }[]> {
  const data = await fs.realpath(path.join(dataDir, 'postgres')).catch(() => path.join(dataDir, 'postgres'))
  return (await commandLines()).filter(({ command }) => command.includes(data))
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

async function waitForExit(dataDir: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = await processesOf(dataDir)
    if (left.length === 0) return
    if (tries === PROCESS_TIMEOUT_MS / 100) {
      for (const { pid } of left) process.kill(pid, 'SIGKILL')
      throw new Error('processes were left over')
    }
    await delay(100)
  }
}

/** The id of the server's main process. */
async function serverOf(dataDir: string): Promise<number> {
  return Number.parseInt(await fs.readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

const ANSWER = 'select answer from kept'

beforeAll(async () => {
  root = await fs.mkdtemp(path.join(os.tmpdir(), 'embedded "postgres" ж-'))
  await fs.chmod(root, 0o755)
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  for (const { child } of owners) if (child.exitCode === null && child.signalCode === null) await kill(child)
  for (const { dataDir } of owners) await waitForExit(dataDir)
  await fs.rm(root, { recursive: true, force: true })
})

test('creates a database with Cyrillic letters, ICU collations and custom settings', async () => {
  const dataDir = path.join(root, 'common')
  const server = await start(dataDir, { max_connections: '17', application_name: "it's quoted" })
  await query(server.url, 'create extension pg_trgm')
  const [row] = await query(
    server.url,
    `select cardinality(show_trgm('Жук')) as trigrams, lower('ЖУК') as lower, 'Ёж' ilike 'ёж' as ilike,
      (select array_agg(x order by x collate "und-x-icu") from unnest(array['я','Ё','е','ж']) x) as sorted,
      current_database() as name, current_setting('server_encoding') as encoding,
      current_setting('max_connections') as connections, current_setting('listen_addresses') as listen`,
  )
  expect(row).toEqual({
    trigrams: 4,
    lower: 'жук',
    ilike: true,
    sorted: ['е', 'Ё', 'ж', 'я'],
    name: 'shop',
    encoding: 'UTF8',
    connections: '17',
    listen: '127.0.0.1',
  })
  await expect(query(server.url.replace(/:\w+@/, ':wrong@'), 'select 1')).rejects.toThrow('password')
  await query(server.url, 'create table kept as select 42 as answer')
  await server.stop()
  await waitForExit(dataDir)
  expect(await findRunningPostgres(dataDir)).toBe(null)
})

/** A data folder of its own with what the first test created; root's copy belongs to root. */
async function copyOfData(name: string): Promise<string> {
  const dataDir = path.join(root, name)
  await fs.cp(await fs.realpath(path.join(root, 'common/postgres')), path.join(dataDir, 'postgres'), {
    recursive: true,
  })
  return dataDir
}

describe.concurrent('the embedded PostgreSQL', () => {
  test("survives Ctrl-C in its owner's terminal, and stops when its owner is killed", async ({ expect }) => {
    const dataDir = await copyOfData('killed')
    const { child, report } = await spawnOwner(dataDir)
    const server = await serverOf(dataDir)
    process.kill(-Number(child.pid), 'SIGINT')
    expect(await query(report.url, ANSWER)).toEqual([{ answer: 42 }])
    expect(await serverOf(dataDir)).toBe(server)
    await kill(child)
    await waitForExit(dataDir)
  })

  test('restarts right after a kill, while the old server is shutting down', async ({ expect }) => {
    const dataDir = await copyOfData('at-once')
    const { child } = await spawnOwner(dataDir)
    child.kill('SIGKILL')
    const next = await start(dataDir)
    expect(await query(next.url, ANSWER)).toEqual([{ answer: 42 }])
    await next.stop()
    await waitForExit(dataDir)
  })

  test('lets exactly one of two simultaneous first starts succeed', async ({ expect }) => {
    const dataDir = path.join(root, 'race')
    const reports = (await Promise.all([1, 2].map(() => spawnOwner(dataDir)))).map(({ report }) => report)
    const [winner, ...others] = reports.filter(({ url }) => url)
    expect(others).toEqual([])
    const [loser] = reports.filter(({ error }) => error)
    expect(loser?.error).toContain(`Another running shop uses the data folder ${dataDir}`)
    expect(await findRunningPostgres(dataDir)).toBe(winner?.url)
    expect(await query(String(winner?.url), 'select 1 as answer')).toEqual([{ answer: 1 }])
  })

  test('ignores a postmaster.pid whose process id belongs to another program', async ({ expect }) => {
    const dataDir = await copyOfData('reused')
    const data = path.join(dataDir, 'postgres')
    const lines = [process.pid, data, '1700000000', '5432', '', '127.0.0.1', '  1234567   1234567', 'ready   ']
    await fs.writeFile(path.join(data, 'postmaster.pid'), `${lines.join('\n')}\n`, { mode: 0o600 })
    const server = await start(dataDir)
    expect(await query(server.url, ANSWER)).toEqual([{ answer: 42 }])
  })

  test('reports what is wrong with a data folder', async ({ expect }) => {
    const dataDir = await copyOfData('other-version')
    await fs.writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '15\n')
    await expect(start(dataDir)).rejects.toThrow(/initialized by PostgreSQL version 15.*this version 18/)
  })
})
