import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure } from '../src/schemas/common.ts'
import { Health } from '../src/schemas/health.ts'
import { checkReadiness } from '../src/services/operations/health.ts'

/** Contract section 11. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/live',
    {
      config: { access: 'public' },
      schema: {
        tags: ['health'],
        operationId: 'getLiveness',
        summary: 'The process answers',
        response: { 200: Health },
      },
    },
    async () => ({ status: 'UP' as const }),
  )

  app.get(
    '/ready',
    {
      config: { access: 'public' },
      schema: {
        tags: ['health'],
        operationId: 'getReadiness',
        summary: 'Database and storage answer and can be written, and no stop has begun',
        response: { 200: Health, 503: Failure },
      },
    },
    async () => checkReadiness(app.deps, app.connections.draining),
  )
}
