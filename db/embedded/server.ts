import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../locks.ts'
import { type EmbeddedPostgresLog, findServer, prepareFiles, removeData } from './files.ts'
import type { PreparedFiles } from './native.ts'
import {
  defaultSettings,
  dismiss,
  freePort,
  isAlive,
  rotateLog,
  runningServer,
  serverOptions,
  type Watcher,
  watch,
} from './watcher.ts'

export interface EmbeddedPostgresOptions {
  /** Contains the server's files `postgres/` and `postgres.log`. */
  dataDir: string
  log?: EmbeddedPostgresLog
  /** `false` is faster but loses data in a power cut: for tests only. */
  durable?: boolean
  /** PostgreSQL settings that override the defaults. */
  settings?: Record<string, string>
}

export interface EmbeddedPostgres {
  /** URL of the database `shop`, with its superuser. */
  url: string
  /** Whether a running server without an owner was found and taken over. */
  adopted: boolean
  /** Stops the server; `remove` also deletes its data. */
  stop(options?: { remove?: boolean }): Promise<void>
}

const USER = 'shop'
const DATABASE = 'shop'
/** For a server of another process that is starting or shutting down. */
const SETTLE_TIMEOUT_MS = 90_000
/** For an owner that is being killed. */
const OWNER_TIMEOUT_MS = 1000
/** Prefix of the owner connection's name; the process id follows. */
const OWNER_NAME = 'shop owner'

class Server {
  readonly #files: PreparedFiles
  readonly #dataDir: string
  readonly #log: EmbeddedPostgresLog
  readonly #settings: Record<string, string>
  readonly #logFile: string
  #port = 0
  #watcher: Watcher | undefined
  #owner: pg.Client | undefined
  #isReady = false
  #stopping = false
  #adopted = false
  #recovery: Promise<void> | undefined

  constructor(
    files: PreparedFiles,
    dataDir: string,
    log: EmbeddedPostgresLog,
    settings: Record<string, string>,
  ) {
    this.#files = files
    this.#dataDir = dataDir
    this.#log = log
    this.#settings = settings
    this.#logFile = path.join(dataDir, 'postgres.log')
  }

  async start(): Promise<EmbeddedPostgres> {
    await rotateLog(this.#logFile)
    try {
      await this.#launch()
      const exists = await this.#owner?.query('select 1 from pg_database where datname = $1', [DATABASE])
      if (!exists?.rowCount) await this.#owner?.query(`create database ${DATABASE}`)
    } catch (error) {
      await this.#shutDown()
      throw error
    }
    this.#isReady = true
    return {
      url: urlOf({ port: this.#port, password: this.#files.password }),
      adopted: this.#adopted,
      stop: async ({ remove = false } = {}) => {
        await this.#shutDown()
        if (remove) await removeData(this.#dataDir)
      },
    }
  }

  /** Starts a server and takes its owner lock, after stopping one without an owner. */
  async #launch(): Promise<void> {
    const begin = Date.now()
    for (;;) {
      const running = await runningServer(this.#files.data)
      if (this.#stopping) return
      try {
        if (!running) await this.#startServer()
        else if (await this.#connect(running.port)) await this.#takeOver(running.pid)
        if (!running && (await this.#connect(this.#port))) return
      } catch (error) {
        // The old server may be shutting down, or another process may be starting one.
        const timeoutMs = error instanceof OwnedElsewhere ? OWNER_TIMEOUT_MS : SETTLE_TIMEOUT_MS
        if (Date.now() > begin + timeoutMs || !isTransient(error)) throw error
      }
      await delay(100)
    }
  }

  async #startServer(): Promise<void> {
    this.#port ||= await freePort()
    const settings = {
      ...this.#settings,
      port: String(this.#port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
    }
    const from = await fs.stat(this.#logFile).then(
      ({ size }) => size,
      () => 0,
    )
    const former = this.#watcher
    this.#watcher = undefined
    if (former) await dismiss(former)
    try {
      this.#watcher = await watch(this.#files, this.#logFile, '', serverOptions(settings))
    } catch (error) {
      const log = await fs.readFile(this.#logFile).catch(() => Buffer.alloc(0))
      const output = log.subarray(from).toString().trim()
      // The port can't change after the URL has been returned.
      if (!this.#isReady && output.includes('could not create any TCP/IP sockets')) this.#port = 0
      throw new Error(`PostgreSQL did not start on ${this.#files.data}: ${output}`, { cause: error })
    }
  }

  /** Connects and takes the owner lock, which PostgreSQL releases when this process dies. */
  async #connect(port: number): Promise<boolean> {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: USER,
      password: this.#files.password,
      database: 'postgres',
      application_name: `${OWNER_NAME} ${process.pid}`,
      options: '-c idle_session_timeout=0 -c statement_timeout=0',
      ssl: false,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [LOCKS.embeddedServer])
      if (!rows[0].mine) {
        if (await ownerLives(client)) throw new OwnedElsewhere(this.#dataDir)
        throw new Error('The server has not noticed yet that its owner died')
      }
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    this.#owner = client
    client.once('end', () => {
      if (this.#owner !== client || this.#stopping) return
      this.#owner = undefined
      this.#recovery ??= this.#recover().finally(() => {
        this.#recovery = undefined
      })
    })
    return true
  }

  /** Stops a server whose owner died, to start it again: its settings may be old, and its watcher may be stopping it. */
  async #takeOver(pid: string): Promise<void> {
    this.#log.warn(`embedded PostgreSQL of a killed shop found (process ${pid}); restarting it`)
    this.#adopted = true
    const owner = this.#owner
    this.#owner = undefined
    await dismiss(await watch(this.#files, this.#logFile, pid, ''))
    await owner?.end().catch(() => undefined)
  }

  /** Restarts the server if it is down, and takes the owner lock again. */
  async #recover(): Promise<void> {
    this.#log.warn('embedded PostgreSQL connection lost')
    const begin = Date.now()
    while (!this.#stopping && !this.#owner) {
      try {
        await delay(250)
        const running = await runningServer(this.#files.data)
        if (this.#stopping) return
        if (!running) await this.#startServer()
        await this.#connect(this.#port)
        this.#log.info('embedded PostgreSQL connection restored')
      } catch (error) {
        this.#log.warn(`embedded PostgreSQL is unavailable: ${String(error)}`)
        if (error instanceof OwnedElsewhere && Date.now() > begin + SETTLE_TIMEOUT_MS) return
        await delay(1000)
      }
    }
  }

  async #shutDown(): Promise<void> {
    this.#stopping = true
    await this.#recovery
    const watcher = this.#watcher
    this.#watcher = undefined
    await this.#owner?.end().catch(() => undefined)
    if (watcher) await dismiss(watcher)
    // The watcher was killed: let a new one stop the server.
    const left = await runningServer(this.#files.data)
    if (left && left.port === this.#port) await dismiss(await watch(this.#files, this.#logFile, left.pid, ''))
  }
}

class OwnedElsewhere extends Error {
  constructor(dataDir: string) {
    super(`Another running shop uses the data folder ${dataDir}. Stop it first, or choose another DATA_DIR.`)
  }
}

/** Whether the owner's process exists: a busy server may not have released a dead owner's lock yet. */
async function ownerLives(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and objid = $1`,
    [LOCKS.embeddedServer],
  )
  return rows.some(({ name }) => {
    const pid = Number(name.slice(OWNER_NAME.length))
    return !(pid > 0) || isAlive(pid)
  })
}

/** Whether the error may disappear when another server on the folder has started or stopped. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.message.startsWith('PostgreSQL did not start')) {
    return /could not create any TCP\/IP sockets|is still in use|lock file .* already exists/.test(
      error.message,
    )
  }
  const code = 'code' in error ? String(error.code) : ''
  return !/^(28|3D|42)/.test(code)
}

/**
 * Starts PostgreSQL from the npm package on `<dataDir>/postgres` and creates the folder and database if needed. The server
 * stops with this process, even after kill -9.
 * @throws Error if another process uses the folder
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = { info: () => undefined, warn: () => undefined } } = options
  const dataDir = path.resolve(options.dataDir)
  const files = await prepareFiles(dataDir, durable, log)
  const settings = { ...defaultSettings(durable), ...options.settings }
  return new Server(files, dataDir, log, settings).start()
}

/** Finds the database of a shop that runs on the data folder; null if none does. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const server = await findServer(path.resolve(dataDir))
  return server && urlOf(server)
}

function urlOf({ port, password }: { port: number; password: string }): string {
  return `postgresql://${USER}:${password}@127.0.0.1:${port}/${DATABASE}`
}
