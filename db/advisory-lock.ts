import { Socket } from 'node:net'
import pg from 'pg'
import { connectionSettings } from './database.ts'

/** What only one instance may do at a time; the numbers are the keys of PostgreSQL's advisory locks. */
const LOCKS = { supplierSync: 7_120_001, ymlFeed: 7_120_002 } as const
/** How long a server may take to answer, and to say goodbye. */
const ANSWER_MS = 10_000
const END_MS = 2000

export type LockName = keyof typeof LOCKS

export type HeldLock = {
  /** Aborted when the connection that holds the lock is lost: somebody else may hold it then. */
  lost: AbortSignal
  release(): Promise<void>
}

/**
 * Takes a lock that is held by a connection of its own, so that it vanishes with the process, however that ends.
 * @returns null when somebody else holds it
 */
export async function tryLock(databaseUrl: string, name: LockName): Promise<HeldLock | null> {
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
    const answer = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCKS[name],
    ])
    if (answer.rows[0]?.locked) {
      return { lost: lost.signal, release: end }
    }
  } catch (error) {
    await end()
    throw error
  }
  await end()
  return null
}
