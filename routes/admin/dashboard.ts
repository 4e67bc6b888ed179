import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../src/schemas/common.ts'
import { Dashboard } from '../../src/schemas/dashboard.ts'
import { getDashboard } from '../../src/services/operations/dashboard.ts'

/** See docs/orders.md. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'getDashboard',
      summary: 'Get the key figures of the shop',
      response: { 200: ref(Dashboard) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => getDashboard(deps),
  })
}
