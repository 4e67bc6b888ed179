import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { connectionSettings } from '../../../db/database.ts'
import { CHANGES_CHANNEL } from '../../../db/queries/events/changes.ts'
import type { Changes } from './changes.ts'

const RECONNECT_MS = 1000
/** A dead connection is noticed after at most the sum of these. */
const PING_INTERVAL_MS = 2000
const PING_TIMEOUT_MS = 3000

type Handlers = {
  /** Called with false while the listener is disconnected: caches can't be invalidated then, so they must be off. */
  setTrusted: (trusted: boolean) => void
  /** Called when the server doesn't answer the listener, and perhaps nobody else. */
  onSilence: () => void
}

/** Receives the changes of the other instances over a dedicated connection (docs/decisions.md). */
export function createChangeListener(
  databaseUrl: string,
  changes: Changes,
  { setTrusted, onSilence }: Handlers,
  log: FastifyBaseLogger,
) {
  let stopped = false
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  const started = Promise.withResolvers<void>()

  function connect(): void {
    const connecting = new pg.Client(connectionSettings(databaseUrl, PING_TIMEOUT_MS))
    client = connecting
    connecting.on('notification', ({ payload = '' }) => {
      try {
        changes.receive(payload)
      } catch (error) {
        // It may have been about anything; connecting anew empties the caches.
        handleFailure(connecting, error)
      }
    })
    connecting.on('error', (error) => handleFailure(connecting, error))
    connecting.once('end', () => handleFailure(connecting, new Error('The change listener lost its connection')))
    listen(connecting).catch((error: unknown) => handleFailure(connecting, error))
  }

  async function listen(connecting: pg.Client): Promise<void> {
    await connecting.connect()
    await connecting.query(`listen ${CHANGES_CHANNEL}`)
    if (connecting !== client) return
    setTrusted(true)
    started.resolve()
    ping(connecting)
  }

  /** A connection that only listens wouldn't notice that the server is unreachable. */
  function ping(connected: pg.Client): void {
    timer = setTimeout(() => {
      connected.query('select 1').then(
        () => connected === client && ping(connected),
        (error: unknown) => handleFailure(connected, error),
      )
    }, PING_INTERVAL_MS)
  }

  /** Acts once per connection, on its first failure. */
  function handleFailure(failed: pg.Client, error: unknown): void {
    if (failed !== client) return
    client = undefined
    setTrusted(false)
    started.resolve()
    clearTimeout(timer)
    end(failed)
    if (stopped) return
    log.warn({ err: error }, 'change listener disconnected, caches off')
    if (/timeout/.test(String(error))) onSilence()
    timer = setTimeout(connect, RECONNECT_MS)
  }

  function end(ending: pg.Client): void {
    ending.end().catch((error: unknown) => log.debug({ err: error }, 'change listener not closed cleanly'))
  }

  return {
    /** Resolves once the listener is connected, or its first attempt has failed. */
    start(): Promise<void> {
      connect()
      return started.promise
    },
    stop(): void {
      stopped = true
      clearTimeout(timer)
      if (client) end(client)
    },
  }
}
