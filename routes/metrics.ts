import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FileOf } from '../src/schemas/common.ts'
import { showMetrics } from '../src/services/operations/health.ts'

/** See docs/metrics.md. */
export const metricsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/metrics', {
    schema: {
      operationId: 'getMetrics',
      summary: 'Get the metrics of this instance',
      description:
        'For Prometheus. Also open to the token METRICS_TOKEN. Values of the database are at most ten seconds old, and absent while it is down.',
      response: { 200: FileOf<string>('text/plain', 'Metrics in the Prometheus text format') },
    },
    config: { access: 'ADMIN', permission: 'operations', accessToken: deps.config.metricsToken },
    handler: async (_request, reply) => {
      const { type, text } = await showMetrics(deps, app.connections.inFlight)
      return reply.type(type).send(text)
    },
  })
}
