import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Alert } from '../../src/schemas/alerts.ts'
import { List } from '../../src/schemas/common.ts'
import { listAlerts } from '../../src/services/operations/alerts.ts'

/** See docs/alerts.md. */
export const alertRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listAlerts',
      summary: 'List open and past alerts',
      description: 'The open ones first, then those that ended last, 100 in all. Kept for 90 days.',
      response: { 200: List(Alert, 'The alerts') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listAlerts(deps, request.language),
  })
}
