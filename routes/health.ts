import { FileOf, ref } from '../src/schemas/common.ts'
import { Health } from '../src/schemas/operations.ts'
import { checkReadiness, showMetrics } from '../src/services/operations/health.ts'
import { routes } from './endpoints.ts'

/** Contract section 11. */
export const healthRoutes = routes('public', (app, deps) => {
  app.get('/live', {
    operationId: 'getLiveness',
    summary: 'Check liveness',
    description: 'Only shows that the process responds; checks no dependency.',
    response: { 200: ref(Health) },
    handler: async () => ({ status: 'UP' as const }),
  })

  app.get('/ready', {
    operationId: 'getReadiness',
    summary: 'Check readiness',
    description:
      'Checks that database and storage are writable and no shutdown has begun; a 503 names the failed part.',
    response: { 200: ref(Health) },
    handler: async () => checkReadiness(deps, app.fastify.connections.draining.aborted),
  })
})

/** Contract section 11, "Metrics". */
export const metricsRoutes = routes('ADMIN', (app, deps) => {
  app.get('/metrics', {
    config: { accessToken: deps.config.metricsToken },
    operationId: 'getMetrics',
    summary: 'Get the metrics of this instance',
    description:
      'For Prometheus. Also open to the token METRICS_TOKEN. Values of the database are at most ten seconds old, and absent while it is down.',
    response: { 200: FileOf<string>('text/plain', 'Metrics in the Prometheus text format') },
    handler: async (_request, reply) => {
      const { type, text } = await showMetrics(deps, app.fastify.connections.inFlight)
      return reply.type(type).send(text)
    },
  })
})
