import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, userOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { ApiKey, CreatedApiKey, NewApiKey } from '../../src/schemas/users.ts'
import { checkApiKey, createApiKey, deleteApiKey, listApiKeys } from '../../src/services/accounts/api-keys.ts'

const config = { access: 'SUPER_ADMIN' } as const

/** Contract section 3, "API keys". */
export const apiKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listApiKeys',
      summary: 'List API keys',
      description: 'Expired ones included; the keys themselves are not stored.',
      response: { 200: List(ApiKey, 'The keys') },
    },
    handler: async () => listApiKeys(deps),
  })

  app.post('/', {
    config: { ...config, check: (body: Partial<NewApiKey>) => checkApiKey(body, deps.now()) },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create an API key',
      description: 'The only response with the `key`, which works wherever a token does.',
      body: ref(NewApiKey),
      response: { 201: ref(CreatedApiKey) },
    },
    handler: async (request) => createApiKey(deps, userOf(request), request.body),
  })

  app.delete('/:id', {
    config,
    schema: {
      operationId: 'deleteApiKey',
      summary: 'Revoke an API key',
      description: 'Every instance rejects it from then on.',
      params: IdParams,
      response: { 204: NoContent },
    },
    handler: async (request) => deleteApiKey(deps, callerOf(request), request.params.id),
  })
}
