import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { requestFields } from './request-log.ts'

const CHECK_INTERVAL_MS = 250

/** Of unsent responses, and again of requests that are still arriving or wait, on all connections together. */
const MAX_BUFFERED_BYTES = 128 * 1024 * 1024

/** The most that Node reads at once: how much of a request arrived with its beginning is not known. */
const MAX_READ_BYTES = 64 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response may take longer than any request does, since the caller waits for a run. */
    mayWait?: boolean
  }
}

export type Connection = {
  /** Requests without a completed response, oldest first. Only the first has begun, so that one response is in memory. */
  pending: PendingRequest[]
  /** What the parser rejected, answered after the pending requests. */
  parserError?: Error
}

/** `begin` lets it go on to its handler; `bytesBefore`: what the connection had received when its headers were complete. */
export type PendingRequest = { reply: FastifyReply; begin(): void; bytesBefore: number }

/** Closes the connections that take too much memory, and those whose request is never answered, until it is stopped. */
export function limitConnections(app: FastifyInstance, open: Map<Socket, Connection>): { stop(): void } {
  const timer = setInterval(() => {
    limitUnsent(open)
    limitWaiting(open)
    closeUnanswered(app, open)
  }, CHECK_INTERVAL_MS).unref()
  return { stop: () => clearInterval(timer) }
}

/** Closes the connections with the most unsent bytes, if there are too many. */
function limitUnsent(open: Map<Socket, Connection>): void {
  const unsent = [...open.keys()].map((socket) => ({ socket, bytes: socket.writableLength }))
  destroyBeyond(unsent.sort((a, b) => b.bytes - a.bytes))
}

/** A request is kept until it is complete and its turn has come. Not the largest are cut off, which may be uploads, but the oldest. */
function limitWaiting(open: Map<Socket, Connection>): void {
  const waiting = [...open].flatMap(([socket, connection]) => {
    const [first, second] = connection.pending
    if (first === undefined || (second === undefined && !isIncomplete(connection))) return []
    return { socket, bytes: MAX_READ_BYTES + socket.bytesRead - first.bytesBefore, ageMs: first.reply.elapsedTime }
  })
  destroyBeyond(waiting.sort((a, b) => b.ageMs - a.ageMs))
}

/** Closes connections whose handler doesn't reply: `requestTimeout` ends with the last byte of a request. */
function closeUnanswered({ log, server }: FastifyInstance, open: Map<Socket, Connection>): void {
  if (server.requestTimeout === 0) return
  for (const [socket, { pending }] of open) {
    const [first] = pending
    if (first === undefined || first.reply.raw.headersSent || first.reply.routeOptions.config.mayWait) continue
    // The request may have taken as long to arrive.
    if (first.reply.elapsedTime < 2 * server.requestTimeout) continue
    log.error(requestFields(first.reply.request), 'connection closed: request not answered')
    socket.destroy()
  }
}

/** Destroys the first connections, until the others hold no more than the limit. */
function destroyBeyond(connections: { socket: Socket; bytes: number }[]): void {
  let total = connections.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { socket, bytes } of connections) {
    if (total <= MAX_BUFFERED_BYTES) return
    total -= bytes
    socket.destroy()
  }
}

/** Whether the last request has been received in part only. */
export function isIncomplete({ pending }: Connection): boolean {
  return pending.at(-1)?.reply.request.raw.complete === false
}
