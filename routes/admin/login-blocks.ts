import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent } from '../../src/schemas/common.ts'
import { LoginBlock, LoginBlockParams } from '../../src/schemas/login-blocks.ts'
import { liftLoginBlock, listLoginBlocks } from '../../src/services/accounts/login-blocks.ts'

/** See docs/operations.md. */
export const loginBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listLoginBlocks',
      summary: 'List blocked logins',
      response: { 200: List(LoginBlock, 'The blocks') },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async () => listLoginBlocks(deps),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'liftLoginBlock',
      summary: 'Lift a login block',
      description: 'Logins are possible again at once, and failures are counted from 0.',
      params: LoginBlockParams,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'users' },
    handler: async (request, reply) => {
      await liftLoginBlock(deps, callerOf(request), request.params.id)
      return reply.code(204).send()
    },
  })
}
