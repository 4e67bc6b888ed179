import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditEntryPage, AuditQuery } from '../../src/schemas/audit.ts'
import { ref } from '../../src/schemas/common.ts'
import { listAuditEntries } from '../../src/services/audit/entries.ts'

export const auditRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/', {
    config: { access: 'ADMIN' },
    schema: {
      operationId: 'listAuditEntries',
      summary: 'List changes, the newest first',
      querystring: AuditQuery,
      response: { 200: ref(AuditEntryPage) },
    },
    handler: async (request) => listAuditEntries(app.deps, request.query),
  })
}
