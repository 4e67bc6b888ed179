import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Alert } from '../../src/schemas/alerts.ts'
import { List } from '../../src/schemas/common.ts'
import { listAlerts } from '../../src/services/operations/alerts.ts'

/** Contract section 11, "Alerts". */
export const alertRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/', {
    config: { access: 'ADMIN' },
    schema: {
      operationId: 'listAlerts',
      summary: 'List open and past alerts',
      description: 'The open ones first, then the last 100 that are over, of at most 90 days.',
      response: { 200: List(Alert, 'The alerts') },
    },
    handler: async () => listAlerts(app.deps),
  })
}
