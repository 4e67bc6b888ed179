import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * A signal that aborts when the connection closes before the response is sent. Fastify's `request.signal` won't do: it
 * aborts as soon as a body has been read.
 */
export function closeSignal({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  if (socket.destroyed) controller.abort()
  else raw.once('close', () => controller.abort())
  return controller.signal
}
