import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../src/schemas/common.ts'
import { Health } from '../src/schemas/health.ts'
import { createReadinessCheck } from '../src/services/operations/health.ts'

/** See docs/operations.md. */
export const healthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const checkReadiness = createReadinessCheck(app.deps)

  app.get('/live', {
    schema: {
      operationId: 'getLiveness',
      summary: 'Check liveness',
      description: 'Only shows that the process responds; checks no dependency.',
      response: { 200: ref(Health) },
    },
    config: { access: 'public' },
    handler: async () => ({ status: 'UP' as const }),
  })

  app.get('/ready', {
    schema: {
      operationId: 'getReadiness',
      summary: 'Check readiness',
      description:
        'Checks that database and storage are writable and no shutdown has begun; a 503 names the failed part.',
      response: { 200: ref(Health) },
    },
    config: { access: 'public', logsFailures: true },
    handler: async () => checkReadiness(app.connections.draining.aborted),
  })
}
