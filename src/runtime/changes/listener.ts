import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { connectionSettings } from '../../../db/database.ts'
import { CHANGES_CHANNEL } from '../../../db/queries/events/changes.ts'
import type { Changes } from './changes.ts'

const RECONNECT_MS = 1000
/** A server that is gone without a word is noticed after at most the sum of these. */
const CHECK_MS = 3000
const ANSWER_MS = 3000

export type ChangeListener = {
  /** Resolves when it hears for the first time, or finds that it can't yet. */
  start(): Promise<void>
  stop(): void
}

type Listening = {
  changes: Changes
  /** Told whether what others change is heard: whatever is kept of the database is worth nothing otherwise. */
  setTrusted: (trusted: boolean) => void
  log: FastifyBaseLogger
}

/**
 * Hears what the other instances changed. While it knows that it can't hear, nothing is kept: what a cache gives is older than the last change only for the seconds until a silent connection is noticed (contract
 * section 11).
 */
export function createChangeListener(
  databaseUrl: string,
  { changes, setTrusted, log }: Listening,
): ChangeListener {
  let closing = false
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined

  const begun = Promise.withResolvers<void>()

  function connect(): void {
    const listener = new pg.Client(connectionSettings(databaseUrl, ANSWER_MS))
    current = listener
    listener.on('notification', ({ payload }) => {
      if (payload) changes.hear(payload)
    })
    listener.on('error', (error) => giveUp(listener, error))
    listener.once('end', () => giveUp(listener, new Error('The change listener lost its connection')))
    listen(listener).catch((error: unknown) => giveUp(listener, error))
  }

  async function listen(listener: pg.Client): Promise<void> {
    await listener.connect()
    await listener.query(`listen ${CHANGES_CHANNEL}`)
    if (listener !== current) return
    setTrusted(true)
    begun.resolve()
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
    setTrusted(false)
    begun.resolve()
    clearTimeout(timer)
    end(listener)
    if (closing) return
    log.warn({ err: error }, 'changes of other instances can not be heard; nothing is cached until they can')
    timer = setTimeout(connect, RECONNECT_MS)
  }

  function end(listener: pg.Client): void {
    listener.end().catch((error: unknown) => log.debug({ err: error }, 'change listener did not end well'))
  }

  return {
    start() {
      connect()
      return begun.promise
    },
    stop() {
      closing = true
      clearTimeout(timer)
      if (current) end(current)
    },
  }
}
