import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FileOf } from '../src/schemas/common.ts'
import { robotsTxt } from '../src/services/published/sitemap.ts'

/** Rules for crawlers, which name the sitemap. */
export const robotsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/robots.txt', {
    schema: {
      operationId: 'getRobots',
      summary: 'Get robots.txt',
      response: { 200: FileOf<string>('text/plain', 'The rules for crawlers') },
    },
    config: { access: 'public' },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(deps)),
  })
}
