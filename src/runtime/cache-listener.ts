import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { connectionSettings } from '../../db/database.ts'
import { CACHE_CHANNEL } from '../../db/queries/events/notifications.ts'
import { CACHE_TOPICS, type Caches } from './caches.ts'

const RECONNECT_MS = 1000
/** A server that is gone without a word is noticed after at most the sum of these. */
const CHECK_MS = 3000
const ANSWER_MS = 3000

export type CacheListener = { start(): void; stop(): void }

/**
 * Hears which caches the other instances have made stale. While it knows that it can't hear, nothing is kept: what a
 * cache gives is older than the last change only for the seconds until a silent connection is noticed (contract
 * section 11).
 */
export function createCacheListener(
  databaseUrl: string,
  caches: Caches,
  log: FastifyBaseLogger,
): CacheListener {
  let closing = false
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  function start(): void {
    const listener = new pg.Client(connectionSettings(databaseUrl, ANSWER_MS))
    current = listener
    listener.on('notification', ({ payload }) => {
      const topic = CACHE_TOPICS.find((known) => known === payload)
      if (topic) caches.clear(topic)
    })
    listener.on('error', (error) => giveUp(listener, error))
    listener.once('end', () => giveUp(listener, new Error('The cache listener lost its connection')))
    listen(listener).catch((error: unknown) => giveUp(listener, error))
  }

  async function listen(listener: pg.Client): Promise<void> {
    await listener.connect()
    await listener.query(`listen ${CACHE_CHANNEL}`)
    if (listener !== current) return
    caches.setTrusted(true)
    check(listener)
  }

  /** A connection that only listens would not notice a server that is gone; a question now and then does. */
  function check(listener: pg.Client): void {
    timer = setTimeout(() => {
      listener.query('select 1').then(
        () => listener === current && check(listener),
        (error: unknown) => giveUp(listener, error),
      )
    }, CHECK_MS)
  }

  /** Once per connection, whatever of it fails first: the caches are not trusted until the next one listens. */
  function giveUp(listener: pg.Client, error: unknown): void {
    if (listener !== current) return
    current = undefined
    caches.setTrusted(false)
    clearTimeout(timer)
    end(listener)
    if (closing) return
    log.warn({ err: error }, 'cache listener can not hear; nothing is cached until it can')
    timer = setTimeout(start, RECONNECT_MS)
  }

  function end(listener: pg.Client): void {
    listener.end().catch((error: unknown) => log.debug({ err: error }, 'cache listener did not end well'))
  }

  return {
    start,
    stop() {
      closing = true
      clearTimeout(timer)
      if (current) end(current)
    },
  }
}
