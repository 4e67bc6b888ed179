import type { FastifyPluginAsync } from 'fastify'
import { costs } from '../plugins/limits.ts'
import { openLiveEvents, requireUpgrade } from '../plugins/websocket.ts'

/** A handshake, in bytes of a body that takes as long to parse. */
const HANDSHAKE_COST = 4096

/** Live events (contract section 12), which the AsyncAPI document describes. */
export const eventRoutes: FastifyPluginAsync = async (app) => {
  const { admit, accept } = await openLiveEvents(app)

  app.route({
    method: 'GET',
    url: '/events',
    config: { access: 'public' },
    onRequest: costs(HANDSHAKE_COST),
    schema: { hide: true },
    preHandler: admit,
    handler: requireUpgrade,
    wsHandler: accept,
  })

  app.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/*',
    config: { access: 'public' },
    schema: { hide: true },
    handler: async (_request, reply) => reply.callNotFound(),
  })
}
