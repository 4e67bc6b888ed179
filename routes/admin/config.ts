import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { NewSetting, Setting, SettingChange, SettingParams, SettingValues } from '../../src/schemas/settings.ts'
import { VersionHeaders } from '../../src/schemas/versions.ts'
import {
  checkSettingFields,
  checkSettingValues,
  createSetting,
  deleteSetting,
  getSetting,
  listSettings,
  updateSetting,
  updateSettings,
} from '../../src/services/settings/settings.ts'

/** See docs/content.md. */
export const adminConfigRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listSettings',
      summary: 'List settings',
      description: 'By key, private ones included.',
      response: { 200: List(Setting, 'The settings') },
    },
    config: { access: 'ADMIN', permission: 'settings' },
    handler: async () => listSettings(deps),
  })

  app.get('/:key', {
    schema: {
      operationId: 'getSetting',
      summary: 'Get a setting',
      params: SettingParams,
      response: { 200: ref(Setting) },
    },
    config: { access: 'ADMIN', permission: 'settings' },
    handler: async (request) => getSetting(deps, request.params.key),
  })

  app.post('/', {
    schema: {
      operationId: 'createSetting',
      summary: 'Create a setting',
      description: 'For keys that a storefront defines; the documented ones exist already.',
      body: ref(NewSetting),
      response: { 201: ref(Setting), 409: Conflict('KEY_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkSettingFields },
    handler: async (request, reply) => reply.code(201).send(await createSetting(deps, callerOf(request), request.body)),
  })

  app.patch('/', {
    schema: {
      operationId: 'updateSettings',
      summary: 'Update several settings',
      description: 'All or none; a fault is at the path of its key. Takes effect at once, on every instance.',
      body: ref(SettingValues),
      response: { 200: List(Setting, 'The settings that were written, by key') },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkSettingValues },
    handler: async (request) => updateSettings(deps, callerOf(request), request.body),
  })

  app.put('/:key', {
    schema: {
      operationId: 'updateSetting',
      summary: 'Update a setting',
      description: 'Takes effect at once, on every instance.',
      params: SettingParams,
      headers: VersionHeaders,
      body: ref(SettingChange),
      response: { 200: ref(Setting) },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkSettingFields },
    handler: async (request) =>
      updateSetting(
        deps,
        callerOf(request),
        { id: request.params.key, ifMatch: request.headers['if-match'] },
        request.body,
      ),
  })

  app.delete('/:key', {
    schema: {
      operationId: 'deleteSetting',
      summary: 'Delete a setting',
      description: 'A documented setting returns to its default.',
      params: SettingParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'settings' },
    handler: async (request, reply) => {
      await deleteSetting(deps, callerOf(request), { id: request.params.key, ifMatch: request.headers['if-match'] })
      return reply.code(204).send()
    },
  })
}
