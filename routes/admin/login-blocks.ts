import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent } from '../../src/schemas/common.ts'
import { LoginBlock, LoginBlockParams } from '../../src/schemas/login-blocks.ts'
import { liftLoginBlock, listLoginBlocks } from '../../src/services/accounts/login-blocks.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 11, "Repairs without SQL". */
export const loginBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listLoginBlocks',
      summary: 'List blocked logins',
      response: { 200: List(LoginBlock, 'The blocks') },
    },
    handler: async () => listLoginBlocks(deps),
  })

  app.delete('/:id', {
    config,
    schema: {
      operationId: 'liftLoginBlock',
      summary: 'Lift a block',
      description: 'Logins are possible again at once; their failures are counted from 0.',
      params: LoginBlockParams,
      response: { 204: NoContent },
    },
    handler: async (request) => liftLoginBlock(deps, callerOf(request), request.params.id),
  })
}
