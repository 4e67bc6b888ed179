import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NoContent } from '../src/schemas/common.ts'

/** For people who open the server's address in a browser. */
export const homeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/', {
    config: { access: 'public' },
    schema: {
      operationId: 'getHome',
      summary: 'Go to the description of the API',
      description: 'Redirects to Swagger UI.',
      response: { 302: NoContent },
    },
    handler: async (_request, reply) => reply.redirect('/swagger-ui.html'),
  })
}
