import { Socket } from 'node:net'
import pg from 'pg'
import { connectionSettings } from './database.ts'
import { databaseFault } from './errors.ts'
import { LOCKS } from './locks.ts'

/** How long a server may take to answer, and to say goodbye. */
const ANSWER_MS = 10_000
const END_MS = 2000

export type AdvisoryLock = {
  /** Aborted when the connection that holds the lock is lost: somebody else may hold it then. */
  lost: AbortSignal
  release(): Promise<void>
}

/** Of what only one instance may do at a time. */
export type AdvisoryLockName = 'supplierSync' | 'ymlFeed' | 'sitemap' | 'xmlPipeline'

/**
 * Takes a lock that is held by a connection of its own, so that it vanishes with the process, however that ends.
 * @returns null when somebody else holds it
 */
export function tryLock(databaseUrl: string, name: AdvisoryLockName): Promise<AdvisoryLock | null> {
  return hold(databaseUrl, async (client) => {
    const answer = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCKS[name],
    ])
    return answer.rows[0]?.locked === true
  })
}

/**
 * The lock of one order, held in the same way while it is being submitted to the supplier.
 * @param waitMs how long to wait for somebody else to let go of it
 */
export function tryOrderLock(
  databaseUrl: string,
  orderId: number,
  waitMs: number,
): Promise<AdvisoryLock | null> {
  return hold(databaseUrl, async (client) => {
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

/** @param lock takes the lock, or says that it can't be had; the connection is kept only for a lock */
async function hold(
  databaseUrl: string,
  lock: (client: pg.Client) => Promise<boolean>,
): Promise<AdvisoryLock | null> {
  const socket = new Socket()
  const client = new pg.Client({
    ...connectionSettings(databaseUrl, 0),
    query_timeout: ANSWER_MS,
    stream: () => socket,
  })
  const lost = new AbortController()
  let released = false
  client.on('error', (error) => lost.abort(error))
  client.on('end', () => {
    if (!released) lost.abort(new Error('The connection that held the lock was lost'))
  })
  /** A server that has gone silent would keep us waiting for the end of the connection for a quarter of an hour. */
  async function end(): Promise<void> {
    released = true
    const timer = setTimeout(() => socket.destroy(), END_MS)
    await client.end().finally(() => clearTimeout(timer))
  }
  await client.connect()
  try {
    // A server that no longer hears from this process gives the lock up within a minute.
    await client.query(
      'set tcp_keepalives_idle = 20; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3',
    )
    if (await lock(client)) return { lost: lost.signal, release: end }
  } catch (error) {
    await end()
    throw error
  }
  await end()
  return null
}
