import { randomUUID } from 'node:crypto'
import { Server, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { type Connection, isIncomplete, limitConnections, type PendingRequest } from './connection-limits.ts'
import { errorBody, parserError, STATUS_CODES } from './errors.ts'

/** Pipelined requests that wait for a response; a connection with more is closed. Each may have 16 KB of headers. */
const MAX_UNANSWERED = 16
/** How long the address of such a connection can't connect again: else it would do so at once, and keep all others waiting. */
const REFUSAL_MS = 10_000
/** Addresses that are remembered for it. */
const MAX_REFUSED = 10_000
/** How long a connection may be silent, or leave a response unread. */
export const SOCKET_TIMEOUT_MS = 60_000

/** How long a shutdown is announced to clients and load balancers before the server stops listening. */
const ANNOUNCE_MS = 1000
/** How long a connection may be silent, or leave a response unread, from the beginning of a shutdown on. */
const DRAINING_TIMEOUT_MS = 1200
/** The same when the server closes without an announcement. */
const CLOSING_TIMEOUT_MS = 50

declare module 'fastify' {
  interface FastifyInstance {
    connections: {
      /** Aborted when a shutdown begins: readiness fails, and responses ask clients to reconnect elsewhere. */
      readonly draining: AbortSignal
      /** Requests without a completed response. */
      readonly inFlight: number
      /** Whether responses are due on the connection. */
      isBusy(socket: Socket): boolean
      /** Hands the connection of a request over to another protocol. */
      release(request: FastifyRequest): void
      /** Begins a shutdown; resolves when it has been announced long enough. */
      drain(): Promise<void>
    }
  }
}

/**
 * Limits each connection, and closes all of them gracefully (docs/http.md). Node by itself reads pipelined requests
 * without limit, buffers unread responses, and cuts off requests when it closes.
 */
export const connectionsPlugin = fp(
  async (app) => {
    const open = new Map<Socket, Connection>()
    const draining = new AbortController()
    /** Requests that don't begin yet, shortly before the server stops listening (untilQuiet); null at any other time. */
    let heldBack: PendingRequest[] | null = null
    let lastConnectionAt = 0
    const refused = new LRUCache<string, true>({ max: MAX_REFUSED, ttl: REFUSAL_MS })

    function begin(request: PendingRequest): void {
      if (heldBack === null) request.begin()
      else heldBack.push(request)
    }

    function limitSilence(timeoutMs: number): void {
      Object.assign(app.server, { timeout: timeoutMs, keepAliveTimeout: timeoutMs })
      for (const socket of open.keys()) socket.setTimeout(timeoutMs)
    }

    app.decorate('connections', {
      draining: draining.signal,
      get inFlight() {
        return open.values().reduce((sum, { pending }) => sum + pending.length, 0)
      },
      isBusy: (socket) => open.get(socket)?.pending[0] !== undefined,
      release({ raw: { socket } }) {
        open.delete(socket)
      },
      async drain() {
        draining.abort()
        for (const { pending } of open.values()) closeAfter(pending.at(-1)?.reply)
        limitSilence(DRAINING_TIMEOUT_MS)
        await delay(ANNOUNCE_MS)
      },
    })

    app.server.on('connection', (socket: Socket) => {
      lastConnectionAt = performance.now()
      // Limits need the address. Node remembers it once it was read, and can't read it after the client has reset the connection.
      const { remoteAddress } = socket
      if (remoteAddress === undefined || refused.has(remoteAddress)) return void socket.destroy()
      open.set(socket, { pending: [] })
      socket.once('close', () => {
        for (const { reply } of open.get(socket)?.pending ?? []) app.logRequest(reply, true)
        open.delete(socket)
      })
    })
    // RFC 9110, 10.1.1 allows unknown expectations to be ignored; Node would send its own response.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
    app.addHook('onRequest', (request, reply, done) => {
      const { socket } = request.raw
      // Node parses the rest of what it has read, although the connection was closed.
      if (socket.destroyed) return
      const connection = open.get(socket)
      if (connection === undefined) return done()
      const { pending } = connection
      if (draining.signal.aborted) {
        // Only the last response may close the connection.
        pending.at(-1)?.reply.removeHeader('connection')
        closeAfter(reply)
      }
      const added = { reply, begin: done, bytesBefore: socket.bytesRead }
      pending.push(added)
      if (pending.length === 1) begin(added)
      if (pending.length <= MAX_UNANSWERED) return
      app.log.warn({ reqId: request.id, address: request.ip }, 'connection closed: responses are not read')
      refused.set(String(socket.remoteAddress), true)
      socket.destroy()
    })
    app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
      const connection = open.get(socket)
      if (connection !== undefined) {
        const { pending } = connection
        pending.shift()
        // In another turn of the event loop: a series of cached responses would keep other connections waiting.
        if (pending[0]) setImmediate(pending[0].begin)
        sendParserError(socket, connection)
      }
      done()
    })
    app.server.on('clientError', (error: Error, socket: Socket) => {
      const connection = open.get(socket)
      if (connection === undefined || connection.parserError) return
      connection.parserError = error
      sendParserError(socket, connection)
    })
    app.server.on('timeout', (socket: Socket) => {
      const { bytesRead } = socket
      // What has arrived is read later in this turn of the event loop.
      setImmediate(() => {
        if (socket.bytesRead === bytesRead && !isClientWaiting(socket, open.get(socket))) socket.destroy()
      })
    })

    const limits = limitConnections(app, open)
    app.addHook('preClose', async () => {
      limits.stop()
      if (draining.signal.aborted) {
        heldBack = []
        await untilQuiet(() => lastConnectionAt)
      } else limitSilence(CLOSING_TIMEOUT_MS)
      // close() of the HTTP server would also destroy connections that seem to be idle.
      if (app.server.listening) Server.prototype.close.call(app.server)
      for (const request of heldBack ?? []) request.begin()
      heldBack = null
      await waitUntilClosed(app, open)
    })
  },
  { name: 'connections' },
)

/** The server stops listening after this long without a new connection, at the latest after MAX_HOLD_MS. */
const QUIET_MS = 60
const MAX_HOLD_MS = 500
/** libuv accepts one connection per turn of the event loop: the backlog is empty when so many turns brought none. */
const EMPTY_TURNS = 10
const MAX_ACCEPT_MS = 1000

/**
 * Waits until no connection is about to come: when a server stops listening, the system resets those that it has not
 * accepted yet. Clients that call in a loop open none while their requests are held back.
 */
async function untilQuiet(lastConnectionAt: () => number): Promise<void> {
  const start = performance.now()
  const quietAt = () => Math.min(start + MAX_HOLD_MS, Math.max(start, lastConnectionAt()) + QUIET_MS)
  while (performance.now() < quietAt()) await delay(QUIET_MS / 4)
  const acceptUntil = performance.now() + MAX_ACCEPT_MS
  for (let empty = 0; empty < EMPTY_TURNS && performance.now() < acceptUntil; empty++) {
    const before = lastConnectionAt()
    await nextTurn()
    if (lastConnectionAt() !== before) empty = -1
  }
}

/** Closes the connection after this response, unless its headers have been sent. */
function closeAfter(reply: FastifyReply | undefined): void {
  if (reply && !reply.sent) reply.header('connection', 'close')
}

/** Responds to what the parser rejected, if anything, once no other response is due, and closes the connection. */
function sendParserError(socket: Socket, connection: Connection): void {
  if (!connection.parserError || connection.pending.length > (isIncomplete(connection) ? 1 : 0)) return
  if (!socket.writable) return void socket.destroy()
  const appError = parserError(connection.parserError)
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody(appError, requestId))
  const head = [
    `HTTP/1.1 ${appError.status} ${STATUS_CODES[appError.status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** Whether the connection is silent because its client waits for a response. */
function isClientWaiting({ writableLength }: Socket, connection: Connection | undefined): boolean {
  return !!connection?.pending.length && writableLength === 0 && !isIncomplete(connection)
}

/** How long requests in progress may take; less than the whole shutdown may (server.ts). */
const CLOSE_TIMEOUT_MS = 5500
const POLL_INTERVAL_MS = 25

async function waitUntilClosed({ log }: FastifyInstance, open: Map<Socket, Connection>): Promise<void> {
  const deadline = performance.now() + CLOSE_TIMEOUT_MS
  while (open.size > 0) {
    await delay(POLL_INTERVAL_MS)
    if (performance.now() < deadline) continue
    log.warn({ connections: open.size }, 'connections closed during requests')
    for (const socket of open.keys()) socket.destroy()
  }
}
