import type { FastifyPluginAsync } from 'fastify'
import { openLiveEvents, requireUpgrade } from '../plugins/websocket.ts'

/** Live events (docs/events.md), which the AsyncAPI document describes. */
export const wsRoutes: FastifyPluginAsync = async (app) => {
  const { admit, accept } = await openLiveEvents(app)

  app.route({
    method: 'GET',
    url: '/events',
    config: { access: 'public' },
    onRequest: app.costlyLimit(),
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
