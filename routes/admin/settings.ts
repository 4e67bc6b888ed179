import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { NewSetting, Setting, SettingChange, SettingParams } from '../../src/schemas/settings.ts'
import {
  checkSettingFields,
  createSetting,
  deleteSetting,
  getSetting,
  listAllSettings,
  updateSetting,
} from '../../src/services/settings/settings.ts'
import { targetOf } from '../record-routes.ts'

const config = { access: 'ADMIN' } as const

/** Contract sections 2 and 7. */
export const settingAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listSettings',
      summary: 'List settings',
      description: 'By key, private ones included.',
      response: { 200: List(Setting, 'The settings') },
    },
    handler: async () => listAllSettings(deps),
  })

  app.get('/:key', {
    config,
    schema: {
      operationId: 'getSetting',
      summary: 'Get a setting',
      params: SettingParams,
      response: { 200: ref(Setting) },
    },
    handler: async (request) => getSetting(deps, request.params.key),
  })

  app.post('/', {
    config: { ...config, check: checkSettingFields },
    schema: {
      operationId: 'createSetting',
      summary: 'Create a setting',
      description: 'For keys that a storefront defines; the documented ones exist already.',
      body: ref(NewSetting),
      response: { 201: ref(Setting), 409: Conflict('KEY_TAKEN') },
    },
    handler: async (request) => createSetting(deps, callerOf(request), request.body),
  })

  app.put('/:key', {
    config: { ...config, check: checkSettingFields },
    schema: {
      operationId: 'updateSetting',
      summary: 'Update a setting',
      description: 'Takes effect at once, on every instance.',
      params: SettingParams,
      headers: VersionHeaders,
      body: ref(SettingChange),
      response: { 200: ref(Setting) },
    },
    handler: async (request) => updateSetting(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:key', {
    config,
    schema: {
      operationId: 'deleteSetting',
      summary: 'Delete a setting',
      description: 'A documented setting returns to its default.',
      params: SettingParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    handler: async (request) => deleteSetting(deps, callerOf(request), targetOf(request)),
  })
}
