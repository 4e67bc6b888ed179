import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { isAlive, type PreparedFiles, prepareFiles, readPassword, removeData } from './files.ts'
import { childEnvironment } from './native.ts'

export interface EmbeddedPostgresOptions {
  /** Contains the server's files `postgres/` and `postgres.log`. */
  dataDir: string
  /** A pino logger or `console`. */
  log?: { warn(message: string): void }
  /** `false` is faster but loses data in a power cut: for tests only. */
  durable?: boolean
  /** PostgreSQL settings that override the defaults. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  /** URL of the database `shop`, with its superuser. */
  url: string
  /** Stops the server; `remove` also deletes its data. */
  stop(options?: { remove?: boolean }): Promise<void>
}

/** For the server of a killed shop that is shutting down or recovering. */
const SETTLE_TIMEOUT_MS = 90_000
/** For a shop that is being killed. */
const OWNER_TIMEOUT_MS = 3000
const POLL_INTERVAL_MS = 50
const RESTART_DELAY_MS = 500
const MAX_LOG_BYTES = 10 * 1024 * 1024
/** Above every operating system's largest process id. */
const NO_SUCH_PID = '99999999'

/** For a small machine. */
const SETTINGS = {
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '8MB',
  max_connections: '100',
  random_page_cost: '1.1',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
}

const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
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

type Watcher = { child: ChildProcess; exited: Promise<unknown>; hasExited: () => boolean }

/**
 * Starts PostgreSQL from the npm package on `<dataDir>/postgres` and creates the folder and database if needed. The server
 * stops with this process, even after kill -9, and is started again if it crashes.
 * @throws Error if another process uses the folder
 */
export async function startEmbeddedPostgres({
  dataDir: folder,
  log,
  durable = true,
  settings,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(folder)
  const files = await prepareFiles(dataDir, durable)
  const logFile = path.join(dataDir, 'postgres.log')
  await rotateLog(logFile)
  const all = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), ...settings }
  let { port, watcher } = await launch(files, dataDir, logFile, all)
  let isStopping = false

  async function keepRunning(): Promise<void> {
    for (;;) {
      await watcher.exited
      if (isStopping) return
      log?.warn('embedded PostgreSQL ended; starting it again')
      // Only its watcher may have ended.
      await stopServer(files.data)
      await delay(RESTART_DELAY_MS)
      watcher = await watch(files, logFile, port, all)
      if (isStopping) watcher.child.stdin?.end()
    }
  }
  const ended = keepRunning()

  async function stop({ remove = false } = {}): Promise<void> {
    isStopping = true
    watcher.child.stdin?.end()
    await ended
    await stopServer(files.data)
    if (remove) await removeData(files, dataDir)
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

/** Starts a server, after another one on the data has stopped; one that a killed shop left behind is stopped. */
async function launch(
  files: PreparedFiles,
  dataDir: string,
  logFile: string,
  settings: Record<string, string>,
): Promise<{ port: number; watcher: Watcher }> {
  for (const begin = performance.now(); ; await delay(POLL_INTERVAL_MS)) {
    const waitedMs = performance.now() - begin
    const running = await findServer(files.data)
    if (running?.isReady && !isAlive(running.owner)) await stopServer(files.data)
    else if (running?.isReady && waitedMs > OWNER_TIMEOUT_MS) {
      throw new Error(
        `Another running shop uses the data folder ${dataDir}. Stop it first, or choose another DATA_DIR.`,
      )
    } else if (!running) {
      const port = await freePort()
      const from = await fs.stat(logFile).then(
        ({ size }) => size,
        () => 0,
      )
      const watcher = await watch(files, logFile, port, settings)
      if (await becomesReady(watcher, files.data)) return { port, watcher }
      const output = (await fs.readFile(logFile)).subarray(from).toString().trim()
      // Another process was faster to start a server or to take the port, or sessions of a killed server end.
      const isTransient = /could not create any TCP\/IP sockets|is still in use|lock file .* already exists/
      if (!isTransient.test(output) || waitedMs > SETTLE_TIMEOUT_MS) {
        throw new Error(`PostgreSQL did not start on ${files.data}: ${output}`)
      }
    } else if (waitedMs > SETTLE_TIMEOUT_MS) {
      throw new Error(`PostgreSQL on ${files.data} neither starts nor stops (process ${running.pid}).`)
    }
  }
}

/** Resolves when the server accepts connections, however long it recovers; false if it ended. */
async function becomesReady(watcher: Watcher, data: string): Promise<boolean> {
  while (!watcher.hasExited()) {
    const running = await findServer(data)
    if (running?.isReady && running.owner === process.pid) return true
    await delay(POLL_INTERVAL_MS)
  }
  return false
}

/** Runs the server under a watcher in a session of its own, so that Ctrl-C in the shop's terminal reaches neither. */
async function watch(
  { account, data, native }: PreparedFiles,
  logFile: string,
  port: number,
  settings: Record<string, string>,
): Promise<Watcher> {
  const all = {
    ...settings,
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Tells other starts whose server it is.
    cluster_name: `shop-${process.pid}`,
  }
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = [path.join(native, 'bin', 'postgres'), '-D', data, ...options]
  // With appending, the server's next write after a truncation goes to the start of the file.
  const log = await fs.open(logFile, 'a', 0o600)
  try {
    const child = spawn('/bin/sh', ['-c', WATCHER, 'shop-postgres-watcher', ...server], {
      ...account,
      cwd: '/',
      env: childEnvironment(),
      detached: true,
      stdio: ['pipe', 'ignore', log.fd],
    })
    child.stdin?.on('error', () => undefined)
    let isOver = false
    const exited = once(child, 'exit')
      .catch(() => undefined)
      .then(() => {
        isOver = true
      })
    return { child, exited, hasExited: () => isOver }
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

type RunningServer = { pid: number; port: number; isReady: boolean; owner: number }

/** Finds the server that runs on the data folder; a dead or reused process id in postmaster.pid is none. */
async function findServer(data: string): Promise<RunningServer | null> {
  const file = path.join(data, 'postmaster.pid')
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const [pid = '', , , port = '', , , , status = ''] = text.split('\n')
  if (!/^\d+$/.test(pid) || !isAlive(Number(pid))) return null
  // The working folder of PostgreSQL's main process is its data folder; without /proc it can't be checked.
  const hasProc = await fs.stat('/proc/self/cwd').catch(() => null)
  const cwd = hasProc ? await fs.readlink(`/proc/${pid}/cwd`).catch(() => '') : data
  if (cwd === data) {
    // Written before the server becomes ready.
    const options = await fs.readFile(path.join(data, 'postmaster.opts'), 'utf8').catch(() => '')
    const owner = Number(/cluster_name=shop-(\d+)/.exec(options)?.[1] ?? NO_SUCH_PID)
    return { pid: Number(pid), port: Number(port), isReady: status.trim() === 'ready', owner }
  }
  // PostgreSQL refuses to start while a process of the same user has the id, so replace it. The rest of the file lets
  // PostgreSQL detect leftovers of the old server in shared memory.
  if ((await fs.readFile(file, 'utf8').catch(() => '')) === text) {
    await fs.writeFile(file, text.replace(/^\d+/, NO_SUCH_PID)).catch(() => undefined)
  }
  return null
}

/** Stops the server that runs on the data folder, if any, and waits for its end. */
async function stopServer(data: string): Promise<void> {
  const running = await findServer(data)
  while (running && (await findServer(data))?.pid === running.pid) {
    try {
      process.kill(running.pid, 'SIGINT')
    } catch {
      // It has just ended.
    }
    await delay(POLL_INTERVAL_MS)
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

/** Moves a log that exceeds its maximum size aside; keeps one old file. */
async function rotateLog(logFile: string): Promise<void> {
  const size = await fs.stat(logFile).then(
    (stat) => stat.size,
    () => 0,
  )
  // On a full disk the server still works.
  if (size > MAX_LOG_BYTES) await fs.rename(logFile, `${logFile}.1`).catch(() => undefined)
}
