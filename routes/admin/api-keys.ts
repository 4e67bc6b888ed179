import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { ApiKey, CreatedApiKey, NewApiKey } from '../../src/schemas/api-keys.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { checkApiKey, createApiKey, deleteApiKey, listApiKeys } from '../../src/services/accounts/api-keys.ts'

/** See docs/accounts.md. */
export const apiKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Expired ones included; the keys themselves are not stored.',
      response: { 200: List(ApiKey, 'The API keys') },
    },
    config: { access: 'SUPER_ADMIN', permission: 'apiKeys' },
    handler: async () => listApiKeys(deps),
  })

  app.post('/', {
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'The only response with the `key`, which works wherever a token does.',
      body: ref(NewApiKey),
      response: { 201: ref(CreatedApiKey), 409: Conflict('NAME_TAKEN') },
    },
    config: { access: 'SUPER_ADMIN', permission: 'apiKeys', check: (input) => checkApiKey(input, deps.now()) },
    handler: async (request, reply) => reply.code(201).send(await createApiKey(deps, callerOf(request), request.body)),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteApiKey',
      summary: 'Delete an API key',
      description: 'Every instance rejects it from then on.',
      params: IdParams,
      response: { 204: NoContent },
    },
    config: { access: 'SUPER_ADMIN', permission: 'apiKeys' },
    handler: async (request, reply) => {
      await deleteApiKey(deps, callerOf(request), request.params)
      return reply.code(204).send()
    },
  })
}
