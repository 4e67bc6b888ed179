import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { ref } from '../../src/schemas/common.ts'
import { Erased, Erasure } from '../../src/schemas/privacy.ts'
import { checkErasure, erasePerson } from '../../src/services/privacy/erasure.ts'

/** See docs/privacy.md. */
export const privacyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/erase', {
    schema: {
      operationId: 'erasePerson',
      summary: 'Erase a person',
      description:
        "By email or phone. Finished orders keep their figures and lose their customer; those that aren't finished are kept, and listed. An account of staff is a 403.",
      body: ref(Erasure),
      response: { 200: ref(Erased) },
    },
    config: { access: 'ADMIN', permission: 'users', check: checkErasure },
    handler: async (request) => erasePerson(deps, callerOf(request), request.body),
  })
}
