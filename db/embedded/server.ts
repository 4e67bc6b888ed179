import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../locks.ts'
import { type EmbeddedPostgresLog, prepareFiles, removeData } from './files.ts'
import type { PreparedFiles } from './native.ts'
import {
  boundLog,
  defaultSettings,
  dismiss,
  freePort,
  isAlive,
  runningServer,
  serverOptions,
  type Watcher,
  watch,
} from './watcher.ts'

/** How to run the built-in server. */
export interface EmbeddedPostgresOptions {
  /** The shop's data folder; the server's files go to `postgres/` and `postgres.log` in it. */
  dataDir: string
  log?: EmbeddedPostgresLog
  /** `false` trades safety against power cuts for speed: for tests only. */
  durable?: boolean
  /** PostgreSQL settings that override the built-in ones. */
  settings?: Record<string, string>
}

/** A running built-in server. */
export interface EmbeddedPostgres {
  /** Connection URL of the database `shop`, as its superuser. */
  url: string
  /** Whether a server without a living owner was found running and taken over. */
  adopted: boolean
  /** Stops the server (fast shutdown); `remove` also deletes its data. */
  stop(options?: { remove?: boolean }): Promise<void>
}

const USER = 'shop'
const DATABASE = 'shop'
/** How long a server that is shutting down or starting up without us may take to settle. */
const SETTLE_MS = 90_000
/** How long an owner that is being killed may take to die. */
const OWNER_GRACE_MS = 1000
/** How the owner's connection is named; its process id follows. */
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
  #handedOut = false
  #stopping = false
  #adopted = false
  #recovery: Promise<void> | undefined
  #relief: Promise<void> | undefined
  #logTimer: NodeJS.Timeout | undefined

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
    await boundLog(this.#logFile)
    try {
      await this.#launch()
      const exists = await this.#owner?.query('select 1 from pg_database where datname = $1', [DATABASE])
      if (!exists?.rowCount) await this.#owner?.query(`create database ${DATABASE}`)
    } catch (error) {
      await this.#shutDown()
      throw error
    }
    this.#handedOut = true
    this.#logTimer = setInterval(() => boundLog(this.#logFile), 60_000).unref()
    return {
      url: `postgresql://${USER}:${this.#files.password}@127.0.0.1:${this.#port}/${DATABASE}`,
      adopted: this.#adopted,
      stop: async ({ remove = false } = {}) => {
        await this.#shutDown()
        if (remove) await removeData(this.#dataDir)
      },
    }
  }

  /** Ends with a server that this process started, watches over and holds the owner lock of. */
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
        // The old server may still be shutting down, or another start may be under way.
        const patience = error instanceof OwnedElsewhere ? OWNER_GRACE_MS : SETTLE_MS
        if (Date.now() > begin + patience || !isPassing(error)) throw error
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
      this.#mind(await watch(this.#files, this.#logFile, '', serverOptions(settings)))
    } catch (error) {
      const log = await fs.readFile(this.#logFile).catch(() => Buffer.alloc(0))
      const output = log.subarray(from).toString().trim()
      // Once the URL is out, the port has to stay.
      if (!this.#handedOut && output.includes('could not create any TCP/IP sockets')) this.#port = 0
      throw new Error(`PostgreSQL did not start on ${this.#files.data}: ${output}`, { cause: error })
    }
  }

  /** Replaces the watcher should it end before its server does. */
  #mind(watcher: Watcher): void {
    this.#watcher = watcher
    void watcher.exited.then(() => {
      if (this.#watcher !== watcher || this.#stopping) return
      this.#relief = this.#watchAgain(watcher).catch((error: unknown) => {
        this.#log.warn(`nobody stops the built-in PostgreSQL if the shop is killed: ${String(error)}`)
      })
    })
  }

  async #watchAgain(former: Watcher): Promise<void> {
    const running = await runningServer(this.#files.data)
    if (running?.port !== this.#port || this.#watcher !== former) return
    this.#mind(await watch(this.#files, this.#logFile, running.pid, ''))
  }

  /** Connects and takes the owner lock; it vanishes with this process, however that ends. */
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
        throw new Error('The server has not noticed yet that its owner is gone')
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

  /**
   * Ends a server whose owner is gone, to start it again: its settings may be outdated, and an old watcher
   * may be about to shut it down at any moment.
   */
  async #takeOver(pid: string): Promise<void> {
    this.#log.warn(`taking over the PostgreSQL server (process ${pid}) that a dead shop left running`)
    this.#adopted = true
    const owner = this.#owner
    this.#owner = undefined
    await dismiss(await watch(this.#files, this.#logFile, pid, ''))
    await owner?.end().catch(() => undefined)
  }

  /** After the loss of the owner connection: brings the server back if it is down, and the lock anyway. */
  async #recover(): Promise<void> {
    this.#log.warn('the connection to the built-in PostgreSQL broke; restoring it')
    const begin = Date.now()
    while (!this.#stopping && !this.#owner) {
      try {
        await delay(250)
        const running = await runningServer(this.#files.data)
        if (this.#stopping) return
        if (!running) await this.#startServer()
        await this.#connect(this.#port)
        this.#log.info('the built-in PostgreSQL is back')
      } catch (error) {
        this.#log.warn(`the built-in PostgreSQL is still away: ${String(error)}`)
        if (error instanceof OwnedElsewhere && Date.now() > begin + SETTLE_MS) return
        await delay(1000)
      }
    }
  }

  async #shutDown(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#logTimer)
    await Promise.all([this.#recovery, this.#relief])
    const watcher = this.#watcher
    this.#watcher = undefined
    await this.#owner?.end().catch(() => undefined)
    if (watcher) await dismiss(watcher)
    // Someone killed the watcher: do its work with a new one.
    const left = await runningServer(this.#files.data)
    if (left && left.port === this.#port) await dismiss(await watch(this.#files, this.#logFile, left.pid, ''))
  }
}

class OwnedElsewhere extends Error {
  constructor(dataDir: string) {
    super(`Another running shop uses the data folder ${dataDir}. Stop it first, or choose another DATA_DIR.`)
  }
}

/** Whether the process that took the lock is there; a server with much to do may hold the lock for a dead one. */
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

/** Errors that go away when a server on the folder has finished starting up or shutting down. */
function isPassing(error: unknown): boolean {
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
 * Runs PostgreSQL from the npm package on `<dataDir>/postgres`, creating folder and database when absent.
 * The server ends with this process, even after kill -9; a folder in use by another process is refused.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = { info: () => undefined, warn: () => undefined } } = options
  const dataDir = path.resolve(options.dataDir)
  const files = await prepareFiles(dataDir, durable, log)
  const settings = { ...defaultSettings(durable), ...options.settings }
  return new Server(files, dataDir, log, settings).start()
}
