import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../src/schemas/common.ts'
import { Health } from '../src/schemas/health.ts'
import { checkReadiness } from '../src/services/operations/health.ts'

/** Contract section 11. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/live',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getLiveness',
        summary: 'The process answers',
        description: 'It asks nothing of anybody else.',
        response: { 200: ref(Health) },
      },
    },
    async () => ({ status: 'UP' as const }),
  )

  app.get(
    '/ready',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getReadiness',
        summary: 'Database and storage answer and can be written, and no stop has begun',
        description: 'A 503 names the part that does not.',
        response: { 200: ref(Health) },
      },
    },
    async () => checkReadiness(app.deps, app.connections.draining),
  )
}
