import { Socket } from 'node:net'
import pg from 'pg'
import { connectionSettings } from './database.ts'
import { databaseFault } from './errors.ts'
import { LOCKS } from './locks.ts'
import { onlyRow } from './prepared.ts'

const QUERY_TIMEOUT_MS = 5000
const DISCONNECT_TIMEOUT_MS = 2000

export type AdvisoryLock = {
  /** Aborted when the lock's connection is lost; another instance may acquire the lock then. */
  lost: AbortSignal
  release(): Promise<void>
}

/** Locks of work that only one instance may do at a time. */
export type AdvisoryLockName = 'supplierSync' | 'ymlFeed' | 'googleFeed' | 'sitemap' | 'xmlPipeline'

/**
 * Tries to acquire a lock on a dedicated connection, so that PostgreSQL releases it when the process dies.
 * @returns null if the lock is taken
 */
export function tryLock(databaseUrl: string, name: AdvisoryLockName): Promise<AdvisoryLock | null> {
  return acquire(databaseUrl, async (client) => {
    const text = 'select pg_try_advisory_lock($1) as acquired'
    const { rows } = await client.query<{ acquired: boolean }>(text, [LOCKS[name]])
    return onlyRow(rows).acquired
  })
}

/**
 * Acquires the lock of an order that is being submitted to the supplier, in the same way.
 * @param waitMs how long to wait while the lock is taken
 */
export function tryOrderLock(
  databaseUrl: string,
  orderId: number,
  waitMs: number,
): Promise<AdvisoryLock | null> {
  return acquire(databaseUrl, async (client) => {
    await client.query(`set lock_timeout = ${waitMs}`)
    try {
      await client.query('select pg_advisory_lock($1::int, $2::int)', [LOCKS.order, orderId])
      return true
    } catch (error) {
      if (databaseFault(error) === 'LOCKED') return false
      throw error
    }
  })
}

/** @param tryAcquire whether it acquired the lock; otherwise the connection is closed */
async function acquire(
  databaseUrl: string,
  tryAcquire: (client: pg.Client) => Promise<boolean>,
): Promise<AdvisoryLock | null> {
  const socket = new Socket()
  const client = new pg.Client({
    ...connectionSettings(databaseUrl, 0),
    query_timeout: QUERY_TIMEOUT_MS,
    stream: () => socket,
  })
  const lost = new AbortController()
  let released = false
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => {
    if (!released) lost.abort(new Error('The connection of the lock was lost'))
  })
  /** With a server that no longer responds, ending the connection would take a quarter of an hour. */
  async function disconnect(): Promise<void> {
    released = true
    const timer = setTimeout(() => socket.destroy(), DISCONNECT_TIMEOUT_MS)
    await client.end().finally(() => clearTimeout(timer))
  }
  await client.connect()
  try {
    // If this machine disappears, the server releases the lock within a minute.
    await client.query(
      'set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3',
    )
    if (await tryAcquire(client)) return { lost: lost.signal, release: disconnect }
  } catch (error) {
    await disconnect()
    throw error
  }
  await disconnect()
  return null
}
