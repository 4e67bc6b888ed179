import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { childEnvironment, type PreparedFiles, prepareFiles, readPassword } from './files.ts'

/** `url` is of the database `shop`, with its superuser. */
export type EmbeddedPostgres = { url: string; stop(): Promise<void> }

/** Values of PostgreSQL's parameters. */
type Settings = Record<string, string>

/** For the server of a killed shop that is shutting down or recovering. */
const SETTLE_TIMEOUT_MS = 90_000
/** For a shop that is being killed. */
const OWNER_TIMEOUT_MS = 3000
const POLL_INTERVAL_MS = 50
/** Above every operating system's largest process id. */
const NO_SUCH_PID = '99999999'

/** For a small machine. */
const SETTINGS = {
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '8MB',
  max_connections: '100',
  max_wal_size: '1GB',
  log_checkpoints: 'off',
}

/**
 * Runs the server, and stops it when standard input closes: by stop() or by the shop's death. Signals that arrive before
 * the server handles them are lost, so they are repeated.
 */
const WATCHER = `
trap '' HUP INT TERM PIPE
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
(read -r _; while kill -INT "$server"; do sleep 0.1; done) <&3 2>/dev/null &
wait "$server"
kill -KILL $!
`

type Watcher = Awaited<ReturnType<typeof watch>>

/**
 * Starts PostgreSQL from the npm package on `<dataDir>/postgres` and creates the folder and database if needed; its log is
 * `<dataDir>/postgres.log`. The server stops with this process, even after kill -9.
 * @param settings override the shop's defaults
 * @throws Error if another process uses the folder
 */
export async function startEmbeddedPostgres(folder: string, settings: Settings = {}): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(folder)
  const files = await prepareFiles(dataDir)
  const { port, watcher } = await launch(files, dataDir, { ...SETTINGS, ...settings })

  async function stop(): Promise<void> {
    watcher.child.stdin?.end()
    await watcher.exited
  }
  try {
    await createDatabase(urlOf(port, files.password, 'postgres'))
  } catch (error) {
    await stop()
    throw error
  }
  return { url: urlOf(port, files.password, 'shop'), stop }
}

/** Finds the database of a shop that runs on the data folder; null if none does. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const data = await fs.realpath(path.join(dataDir, 'postgres')).catch(() => null)
  const running = data && (await findServer(data))
  return data && running ? urlOf(running.port, await readPassword(data), 'shop') : null
}

function urlOf(port: number, password: string, database: string): string {
  return `postgresql://shop:${password}@127.0.0.1:${port}/${database}`
}

/** Starts a server, after one that a killed shop left behind has stopped. */
async function launch(
  files: PreparedFiles,
  dataDir: string,
  settings: Settings,
): Promise<{ port: number; watcher: Watcher }> {
  const logFile = path.join(dataDir, 'postgres.log')
  for (const begin = performance.now(); ; await delay(POLL_INTERVAL_MS)) {
    const waitedMs = performance.now() - begin
    const running = await findServer(files.data)
    if (!running) {
      const port = await freePort()
      const watcher = await watch(files, logFile, port, settings)
      if (await becomesReady(watcher, files.data, port)) return { port, watcher }
      const output = (await fs.readFile(logFile, 'utf8')).trim()
      // Another process was faster to start a server or to take the port, or sessions of a killed server end.
      const isTransient = /could not create any TCP\/IP sockets|is still in use|lock file "[^"]*" already exists/
      if (!isTransient.test(output) || waitedMs > SETTLE_TIMEOUT_MS) {
        throw new Error(`PostgreSQL did not start on ${files.data}: ${output}`)
      }
    } else if (waitedMs > (running.isReady ? OWNER_TIMEOUT_MS : SETTLE_TIMEOUT_MS)) {
      throw new Error(
        `Another running shop uses the data folder ${dataDir} (PostgreSQL is process ${running.pid}). Stop it first, or choose another DATA_DIR.`,
      )
    }
  }
}

/** Resolves when the server accepts connections, however long it recovers; false if it ended. */
async function becomesReady({ child }: Watcher, data: string, port: number): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const running = await findServer(data)
    if (running?.isReady && running.port === port) return true
    await delay(POLL_INTERVAL_MS)
  }
  return false
}

/** Runs the server under a watcher in a session of its own, so that Ctrl-C in the shop's terminal reaches neither. */
async function watch({ account, data, native }: PreparedFiles, logFile: string, port: number, settings: Settings) {
  const all = { ...settings, port, listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = [path.join(native, 'bin', 'postgres'), '-D', data, ...options]
  await fs.rename(logFile, `${logFile}.1`).catch(() => undefined)
  const log = await fs.open(logFile, 'w', 0o600)
  try {
    const child = spawn('/bin/sh', ['-c', WATCHER, 'shop-postgres-watcher', ...server], {
      ...account,
      cwd: '/',
      env: childEnvironment(),
      detached: true,
      stdio: ['pipe', 'ignore', log.fd],
    })
    child.stdin?.on('error', () => undefined)
    return { child, exited: once(child, 'exit').catch(() => undefined) }
  } finally {
    await log.close()
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'shop'`)
    if (rowCount === 0) await client.query('create database shop')
  } finally {
    await client.end()
  }
}

/** Finds the server that runs on the data folder; a dead or reused process id in postmaster.pid is none. */
async function findServer(data: string): Promise<{ pid: number; port: number; isReady: boolean } | null> {
  const file = path.join(data, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const [pid = '', , , port = '', , , , status = ''] = text.split('\n')
  if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) return null
  // The working folder of PostgreSQL's main process is its data folder; without /proc it can't be checked.
  const hasProc = await fs.stat('/proc/self/cwd').catch(() => null)
  const cwd = hasProc ? await fs.readlink(`/proc/${pid}/cwd`).catch(() => '') : data
  if (cwd === data) return { pid: Number(pid), port: Number(port), isReady: status.trim() === 'ready' }
  // PostgreSQL refuses to start while a process of the same user has the id, so replace it. The rest of the file lets
  // PostgreSQL detect leftovers of the old server in shared memory.
  if ((await fs.readFile(file, 'utf8').catch(() => '')) === text) {
    await fs.writeFile(file, text.replace(/^\d+/, NO_SUCH_PID)).catch(() => undefined)
  }
  return null
}

/** Whether a process with this id exists, of any user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Finds a free port on 127.0.0.1. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('no free port on 127.0.0.1')
  return address.port
}
