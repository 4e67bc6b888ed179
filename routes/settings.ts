import { ref } from '../src/schemas/common.ts'
import { PublicSetting, PublicSettings, SettingParams, SettingsBatch } from '../src/schemas/settings.ts'
import { getPublicSetting, listPublicSettings, pickPublicSettings } from '../src/services/settings/settings.ts'
import { routes } from './endpoints.ts'

/** Contract section 7, "Config". */
export const settingRoutes = routes('public', (app, deps) => {
  app.cached('/public', {
    operationId: 'listPublicSettings',
    summary: 'List public settings',
    response: { 200: ref(PublicSettings) },
    handler: async (_request, reply) => reply.cacheable(await listPublicSettings(deps)),
  })

  app.post('/batch', {
    operationId: 'pickPublicSettings',
    summary: 'Get several public settings',
    description: 'Keys that do not exist or are not public are left out.',
    body: ref(SettingsBatch),
    response: { 200: ref(PublicSettings) },
    handler: async (request) => pickPublicSettings(deps, request.body),
  })

  app.cached('/:key', {
    operationId: 'getPublicSetting',
    summary: 'Get a public setting',
    description: 'A private setting is a 404.',
    params: SettingParams,
    response: { 200: ref(PublicSetting) },
    handler: async (request, reply) => reply.cacheable(await getPublicSetting(deps, request.params.key)),
  })
})
