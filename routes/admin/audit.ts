import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEntry, AuditQuery } from '../../src/schemas/audit.ts'
import { Page } from '../../src/schemas/lists.ts'
import { listAuditEntries } from '../../src/services/operations/audit.ts'

export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listAuditEntries',
      summary: 'List changes, newest first',
      querystring: AuditQuery,
      response: { 200: Page(AuditEntry) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listAuditEntries(deps, request.query),
  })
}
