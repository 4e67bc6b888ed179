import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../src/schemas/common.ts'
import { PublicSetting, PublicSettings, SettingParams, SettingsBatch } from '../src/schemas/settings.ts'
import { getPublicSetting, listPublicSettings, pickPublicSettings } from '../src/services/settings/settings.ts'

/** See docs/content.md. */
export const configRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/public', {
    schema: {
      operationId: 'listPublicSettings',
      summary: 'List public settings',
      response: { 200: ref(PublicSettings) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (_request, reply) => reply.cacheable(await listPublicSettings(deps)),
  })

  app.post('/batch', {
    schema: {
      operationId: 'pickPublicSettings',
      summary: 'Get several public settings',
      description: 'Keys that do not exist or are not public are left out.',
      body: ref(SettingsBatch),
      response: { 200: ref(PublicSettings) },
    },
    config: { access: 'public' },
    handler: async (request) => pickPublicSettings(deps, request.body),
  })

  app.get('/:key', {
    schema: {
      operationId: 'getPublicSetting',
      summary: 'Get a public setting',
      description: 'A private setting is a 404.',
      params: SettingParams,
      response: { 200: ref(PublicSetting) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await getPublicSetting(deps, request.params.key)),
  })
}
