import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  findRunningPostgres,
  startEmbeddedPostgres,
} from '../../db/embedded/server.ts'
import { PROCESS_TIMEOUT_MS } from '../support/serving-process.ts'

const MODULE = new URL('../../db/embedded/server.ts', import.meta.url).href

/** An owner process: starts the server, reports its URL, and stops on "stop". */
const OWNER = `
const { startEmbeddedPostgres } = await import(${JSON.stringify(MODULE)})
process.on('SIGINT', () => {})
process.stdin.once('end', () => process.exit(1))
try {
  const server = await startEmbeddedPostgres({ dataDir: process.argv[1], durable: false })
  console.log(JSON.stringify({ url: server.url, adopted: server.adopted }))
  process.stdin.once('data', async () => { await server.stop(); process.exit(0) })
} catch (error) {
  console.log(JSON.stringify({ error: error.message }))
}`

interface Report {
  url: string
  adopted: boolean
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
  const server = await startEmbeddedPostgres({ dataDir, durable: false, settings })
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

async function watcherOf(dataDir: string): Promise<number> {
  const found = (await processesOf(dataDir)).find(({ command }) => command.includes('shop-postgres-watcher'))
  if (!found) throw new Error('no watcher')
  return found.pid
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

/** Kills owner and watcher. */
async function orphan(owner: ChildProcess, dataDir: string): Promise<void> {
  process.kill(await watcherOf(dataDir), 'SIGKILL')
  await kill(owner)
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

beforeAll(async () => {
  root = await fs.mkdtemp(path.join(os.tmpdir(), 'embedded postgres ж-'))
  await fs.chmod(root, 0o755)
})

async function stopAll(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  const spawned = owners.splice(0)
  for (const { child } of spawned) {
    if (child.exitCode === null && child.signalCode === null) await kill(child)
  }
  for (const { dataDir } of spawned) await waitForExit(dataDir)
}

afterAll(async () => {
  await fs.rm(root, { recursive: true, force: true })
})

// Each has a folder of its own.
describe.concurrent('the embedded PostgreSQL', () => {
  afterAll(stopAll)

  test('creates the database, keeps its data over a restart and leaves no process running', async () => {
    const dataDir = path.join(root, 'restart')
    const first = await start(dataDir)
    await query(first.url, 'create table kept as select 42 as answer')
    await first.stop()
    expect(await processesOf(dataDir)).toEqual([])
    expect(await findRunningPostgres(dataDir)).toBe(null)

    const second = await start(dataDir)
    expect(second.adopted).toBe(false)
    expect(await query(second.url, 'select answer, current_database() as name from kept')).toEqual([
      { answer: 42, name: 'shop' },
    ])
    await second.stop({ remove: true })
    await expect(fs.lstat(path.join(dataDir, 'postgres'))).rejects.toThrow('ENOENT')
  })

  test('supports Cyrillic letters, ICU collations and custom settings', async () => {
    const { url, stop } = await startEmbeddedPostgres({
      dataDir: path.join(root, 'cyrillic'),
      durable: false,
      settings: { max_connections: '17', application_name: "it's quoted" },
    })
    try {
      await query(url, 'create extension pg_trgm')
      const [row] = await query(
        url,
        `select cardinality(show_trgm('Жук')) as trigrams, lower('ЖУК') as lower, 'Ёж' ilike 'ёж' as ilike,
          (select array_agg(x order by x collate "und-x-icu") from unnest(array['я','Ё','е','ж']) x) as sorted,
          current_setting('server_encoding') as encoding, current_setting('max_connections') as connections,
          current_setting('listen_addresses') as listen`,
      )
      expect(row).toEqual({
        trigrams: 4,
        lower: 'жук',
        ilike: true,
        sorted: ['е', 'Ё', 'ж', 'я'],
        encoding: 'UTF8',
        connections: '17',
        listen: '127.0.0.1',
      })
      await expect(query(url.replace(/:\w+@/, ':wrong@'), 'select 1')).rejects.toThrow('password')
    } finally {
      await stop({ remove: true })
    }
  })

  test('stops when its owner is killed, and restarts with its data', async () => {
    const dataDir = path.join(root, 'killed')
    const { child, report } = await spawnOwner(dataDir)
    await query(report.url, 'create table kept as select 1 as answer')
    await kill(child)
    await waitForExit(dataDir)
    const next = await start(dataDir)
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 1 }])
  })

  test('restarts right after a kill, while the old server is shutting down', async () => {
    const dataDir = path.join(root, 'at-once')
    const { child, report } = await spawnOwner(dataDir)
    await query(report.url, 'create table kept as select 1 as answer')
    child.kill('SIGKILL')
    const next = await start(dataDir)
    await delay(500)
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 1 }])
  })

  test('is taken over when owner and watcher were both killed', async () => {
    const dataDir = path.join(root, 'orphan')
    const { child, report } = await spawnOwner(dataDir)
    await query(report.url, 'create table kept as select 1 as answer')
    await orphan(child, dataDir)
    expect(await query(report.url, 'select answer from kept')).toEqual([{ answer: 1 }])

    const next = await start(dataDir)
    expect(next.adopted).toBe(true)
    expect(await query(next.url, 'select answer from kept')).toEqual([{ answer: 1 }])
    await next.stop()
    expect(await processesOf(dataDir)).toEqual([])
  })

  test("is taken over even if the server notices its owner's death late", async () => {
    const dataDir = path.join(root, 'busy')
    const { child, report } = await spawnOwner(dataDir)
    const [owned] = await query(
      report.url,
      `select pid from pg_stat_activity where application_name like 'shop owner%'`,
    )
    // Simulate a busy server that doesn't notice the closed connection.
    process.kill(Number(owned?.pid), 'SIGSTOP')
    await orphan(child, dataDir)
    const starting = start(dataDir)
    starting.catch(() => undefined)
    await delay(3000)
    process.kill(Number(owned?.pid), 'SIGCONT')
    expect((await starting).adopted).toBe(true)
  })

  test('lets exactly one of several simultaneous starts succeed', async () => {
    const dataDir = path.join(root, 'race')
    const reports = (await Promise.all([1, 2, 3].map(() => spawnOwner(dataDir)))).map(({ report }) => report)
    const winners = reports.filter(({ error }) => !error)
    expect(winners).toHaveLength(1)
    expect(await query(String(winners[0]?.url), 'select 1 as answer')).toEqual([{ answer: 1 }])
  })

  test('restarts on the same port after its main process was killed', async ({ expect }) => {
    const dataDir = path.join(root, 'crash')
    const server = await start(dataDir, { synchronous_commit: 'on' })
    await query(server.url, 'create table kept as select 1 as answer')
    const [pid] = (await fs.readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGKILL')
    await expect
      .poll(() => query(server.url, 'select answer from kept').catch(() => null), {
        timeout: PROCESS_TIMEOUT_MS,
      })
      .toEqual([{ answer: 1 }])
    await server.stop()
    expect(await processesOf(dataDir)).toEqual([])
  })
})

// These share a folder.
describe('the embedded PostgreSQL in a folder with data', () => {
  afterEach(stopAll)

  test('deletes the unfinished folder of a killed first start', async () => {
    const dataDir = path.join(root, 'common')
    const leftover = path.join(dataDir, 'postgres.init-999999999')
    await fs.mkdir(leftover, { recursive: true })
    const server = await start(dataDir)
    expect(await query(server.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
    await expect(fs.lstat(leftover)).rejects.toThrow('ENOENT')
  })

  test("survives Ctrl-C in its owner's terminal", async () => {
    const dataDir = path.join(root, 'common')
    const { child, report } = await spawnOwner(dataDir)
    process.kill(-Number(child.pid), 'SIGINT')
    await delay(300)
    expect(await query(report.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
    const gone = once(child, 'exit')
    child.stdin?.write('stop')
    await gone
    expect(await processesOf(dataDir)).toEqual([])
  })

  test('rejects a second owner and continues to serve the first', async () => {
    const dataDir = path.join(root, 'common')
    const server = await start(dataDir)
    const { report } = await spawnOwner(dataDir)
    expect(report.error).toContain(dataDir)
    expect(report.error).toContain('Another running shop')
    expect(await findRunningPostgres(dataDir)).toBe(server.url)
    expect(await query(server.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  })

  test('ignores a postmaster.pid whose process id belongs to another program', async () => {
    const dataDir = path.join(root, 'common')
    await (await start(dataDir)).stop()
    const data = path.join(dataDir, 'postgres')
    const file = path.join(data, 'postmaster.pid')
    await fs.writeFile(
      file,
      `${process.pid}\n${data}\n1700000000\n5432\n\n127.0.0.1\n  1234567   1234567\nready   \n`,
    )
    const { uid, gid } = await fs.stat(path.join(data, 'PG_VERSION'))
    await fs.chown(file, uid, gid)
    await fs.chmod(file, 0o600)
    const server = await start(dataDir)
    expect(server.adopted).toBe(false)
    expect(await query(server.url, 'select 1 as answer')).toEqual([{ answer: 1 }])
  })

  test('reports both versions if the folder belongs to another PostgreSQL version', async () => {
    const dataDir = path.join(root, 'common')
    await (await start(dataDir)).stop()
    await fs.writeFile(path.join(dataDir, 'postgres/PG_VERSION'), '15\n')
    await expect(start(dataDir)).rejects.toThrow(/PostgreSQL 15, but the installed version is 18/)
  })
})
