import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../src/errors.ts'
import { clientNetwork } from '../src/rules/accounts/client-address.ts'
import { refuseForeignOrigin } from './cors.ts'
import { createEventConnection, type EventConnection } from './event-connection.ts'

const EVENTS_PATH = '/ws/events'
const MAX_MESSAGE_BYTES = 8 * 1024
/** `Retry-After` for a client with too many connections, in seconds. */
const RETRY_AFTER_S = 30
const POLL_INTERVAL_MS = 25

/** Whether to switch protocols. Other requests with an `Upgrade` header, such as for HTTP/2, get an ordinary response. */
export function isWebSocketHandshake({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    url?.split('?', 1)[0] === EVENTS_PATH &&
    headers.host !== undefined &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '')
  )
}

/** Answers a request that is not a handshake. @throws AppError 426 */
export async function requireUpgrade(): Promise<never> {
  const headers = { upgrade: 'websocket' }
  throw new AppError(426, 'UPGRADE_REQUIRED', 'This is a WebSocket; see /v3/api-docs/events', { headers })
}

/**
 * Keeps the connections of live events within their limits (docs/events.md). Call it in the scope of their route: the
 * library's hooks run for every request of that scope.
 */
export async function openLiveEvents(app: FastifyInstance) {
  /** The open connections, each with its client's network. */
  const open = new Map<EventConnection, string>()
  let stopping = false

  async function stop(): Promise<void> {
    stopping = true
    for (const connection of open.keys()) connection.stop()
    while (open.size > 0) await delay(POLL_INTERVAL_MS)
  }

  /** One after the other: a thousand connections must not take all of the database's. */
  async function recheckAll(): Promise<void> {
    for (const connection of [...open.keys()]) await connection.recheck()
  }

  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES },
    // A client broke the protocol, or was cut off; ws has closed the connection.
    errorHandler: (err, _socket, request) => request.log.debug({ err }, 'live connection failed'),
    preClose: (done) => void stop().then(() => done()),
  })
  app.connections.draining.addEventListener('abort', () => void stop())
  app.deps.changes.subscribe((made) => {
    for (const { kind, ids } of made) {
      if (kind === 'setting' && (ids?.has('staff_totp_required') ?? true)) void recheckAll()
      if (kind !== 'user' && kind !== 'apiKey') continue
      for (const connection of open.keys()) if (connection.isOf(kind, ids)) void connection.recheck()
    }
  })

  return {
    /** Refuses a handshake before the protocol is switched. @throws AppError 403; 429; 503 */
    async admit(request: FastifyRequest): Promise<void> {
      if (!request.ws) return
      if (stopping) throw new AppError(503, 'UNAVAILABLE', 'The service is stopping')
      await refuseForeignOrigin(request)
      const network = clientNetwork(request.ip)
      const count = open.values().reduce((sum, one) => sum + Number(one === network), 0)
      if (count < app.deps.config.wsMaxPerAddress) return
      const message = 'Too many connections from this address'
      throw new AppError(429, 'RATE_LIMITED', message, { retryAfter: RETRY_AFTER_S })
    },
    accept(socket: WebSocket, request: FastifyRequest): void {
      const connection = createEventConnection(app, socket, request)
      app.connections.release(request)
      open.set(connection, clientNetwork(request.ip))
      socket.on('close', () => open.delete(connection))
      // Its handshake was admitted before the stop.
      if (stopping) connection.stop()
    },
  }
}
