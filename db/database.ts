import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { PreparingClient } from './client.ts'
import type { CatalogueTables } from './tables/catalogue.ts'
import type { ContentTables } from './tables/content.ts'
import type { OperationsTables } from './tables/operations.ts'
import type { OrderTables } from './tables/orders.ts'
import type { PipelineTables } from './tables/pipeline.ts'
import type { PublicationTables } from './tables/publications.ts'
import type { ScrapingTables } from './tables/scraping.ts'
import type { SyncTables } from './tables/sync.ts'
import type { UserTables } from './tables/users.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export interface Tables
  extends CatalogueTables,
    ContentTables,
    OperationsTables,
    OrderTables,
    PipelineTables,
    PublicationTables,
    ScrapingTables,
    SyncTables,
    UserTables,
    WebhookTables {}

/** A pool or a transaction: the parameter of query functions that need no lock. */
export type Db = Kysely<Tables>
/** The parameter of query functions that need a transaction. */
export type Trx = Transaction<Tables>

export type Database = ReturnType<typeof openDatabase>

/** numeric and date stay text: money must not become a float, and a date has no time zone. bigint is used for counts. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(pg.types.builtins.NUMERIC, String)
types.setTypeParser(pg.types.builtins.DATE, String)

const QUERY_TIMEOUT_MS = 20_000
/** From the timeout of a query, or the suspicion that the server is silent, to the end of a connection. */
const SILENCE_MS = 5000

/**
 * What SQL, values and locks of the shop rely on, whatever role and database set: above all, a transaction has to see what was
 * written while it waited for a lock. Random reads are cheap on SSDs; with the default the planner prefers reading whole tables
 * to using an index. If this machine disappears, the server ends its sessions, and releases their locks, within a minute.
 */
const SERVER_SETTINGS = `-c random_page_cost=1.1 -c default_transaction_isolation=read\\ committed
  -c standard_conforming_strings=on -c DateStyle=ISO -c IntervalStyle=postgres -c TimeZone=UTC -c extra_float_digits=1
  -c bytea_output=hex -c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0
  -c idle_session_timeout=0 -c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3`

/**
 * pg reuses the connection of a query that timed out although it still waits for a response. Therefore connections without
 * traffic for longer than any query may take are closed.
 */
function createSocket(queryTimeoutMs: number): Socket {
  const socket = new Socket()
  socket.on('timeout', () => socket.destroy(new Error('The database stopped responding')))
  return socket.setTimeout(socketTimeoutMs(queryTimeoutMs))
}

/** 0: none. */
const socketTimeoutMs = (queryTimeoutMs: number) => (queryTimeoutMs === 0 ? 0 : queryTimeoutMs + SILENCE_MS)

/**
 * Connection settings with timeouts, so that a server that stops responding doesn't exhaust the pool (docs/operations.md).
 * @param queryTimeoutMs 0 disables the timeouts, for migrations and for connections of locks
 */
export function connectionSettings(databaseUrl: string, queryTimeoutMs: number): pg.ClientConfig {
  const limits = queryTimeoutMs
    ? {
        query_timeout: queryTimeoutMs,
        statement_timeout: queryTimeoutMs - 1000,
        lock_timeout: Math.min(10_000, queryTimeoutMs),
        // As long as the socket's timeout, so that a lost client's transaction releases its locks.
        idle_in_transaction_session_timeout: queryTimeoutMs + SILENCE_MS,
        stream: () => createSocket(queryTimeoutMs),
      }
    : {}
  const url = new URL(databaseUrl)
  const ownOptions = url.searchParams.get('options')
  // They would replace the shop's.
  url.searchParams.delete('options')
  return {
    connectionString: ownOptions === null ? databaseUrl : url.href,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'shop-backend',
    options: `${SERVER_SETTINGS} ${ownOptions ?? ''}`,
    types,
    ...limits,
  }
}

type PoolOptions = { max?: number; queryTimeoutMs?: number; lockTimeoutMs?: number }

/**
 * Creates a pool; it connects with the first query.
 * @param onLost called when a connection breaks before the pool is closed
 */
export function openDatabase(
  databaseUrl: string,
  onLost: (error: Error) => void,
  { max = 10, queryTimeoutMs = QUERY_TIMEOUT_MS, lockTimeoutMs }: PoolOptions = {},
) {
  const sockets = new Set<Socket>()
  const stream = (): Socket => {
    const socket = createSocket(queryTimeoutMs)
    sockets.add(socket)
    return socket.once('close', () => sockets.delete(socket))
  }
  const pool = new pg.Pool({
    Client: PreparingClient,
    ...connectionSettings(databaseUrl, queryTimeoutMs),
    ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
    stream,
    max,
    idleTimeoutMillis: 10_000,
  })
  // The pool handles errors of idle connections only: one that breaks between two queries of a transaction would end
  // the process. The next query on a broken connection rejects.
  pool.on('connect', (client) => {
    client.on('error', (error) => pool.ending || onLost(error))
  })
  pool.on('error', () => {})
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    pool,
    /** The pool's connections, and the queries that wait for one. */
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    /** Closes the connections that receive nothing in the next seconds: the server may have gone silent. */
    suspectSilence(): void {
      const suspects = [...sockets]
      for (const socket of suspects) socket.setTimeout(SILENCE_MS)
      const restore = () => {
        for (const socket of suspects) socket.setTimeout(socketTimeoutMs(queryTimeoutMs))
      }
      setTimeout(restore, SILENCE_MS + 1000).unref()
    },
    close: () => db.destroy(),
  }
}
