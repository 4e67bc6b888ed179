import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditPage, AuditQuery } from '../../src/schemas/audit.ts'
import { listAuditEntries } from '../../src/services/audit/entries.ts'

export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      config: { access: 'ADMIN' },
      schema: {
        tags: ['audit'],
        operationId: 'listAuditEntries',
        summary: 'Who changed an order, a user, a setting or a price, the newest first',
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    async (request) => listAuditEntries(app.deps, request.query),
  )
}
