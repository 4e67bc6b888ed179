import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/users.ts'
import { liftLoginBlock, listLoginBlocks } from '../../src/services/accounts/rate-limits.ts'

/** Contract section 11, "Repairs without SQL". */
export const loginBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listLoginBlocks',
      summary: 'List blocked logins',
      response: { 200: List(wire.LoginBlock, 'The blocks') },
    },
    config: { access: 'ADMIN' },
    handler: async () => listLoginBlocks(deps),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'liftLoginBlock',
      summary: 'Lift a login block',
      description: 'Logins are possible again at once, and failures are counted from 0.',
      params: wire.LoginBlockParams,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN' },
    handler: async (request, reply) => {
      await liftLoginBlock(deps, callerOf(request), request.params.id)
      return reply.code(204).send()
    },
  })
}
