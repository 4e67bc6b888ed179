import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Aborted when the connection closes before the answer. Fastify's own `request.signal` is no help here: it is aborted
 * as soon as a body has been read.
 */
export function callerGone({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (socket.destroyed) gone.abort()
  else raw.once('close', () => gone.abort())
  return gone.signal
}
