import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, NoContent, ref } from '../../src/schemas/common.ts'
import { NewSetting, Setting, SettingChange, SettingParams } from '../../src/schemas/settings.ts'
import {
  changeSetting,
  createSetting,
  getSetting,
  listAllSettings,
  removeSetting,
} from '../../src/services/settings/settings.ts'

const tags = ['config']
const config = { access: 'ADMIN' } as const

/** All site settings, for staff (contract sections 2 and 7). */
export const settingAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listSettings',
        summary: 'All settings',
        response: { 200: Type.Array(ref(Setting)) },
      },
    },
    async () => listAllSettings(deps),
  )

  app.get(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'getSetting',
        summary: 'One setting',
        params: SettingParams,
        response: { 200: ref(Setting), 404: Failure },
      },
    },
    async (request) => getSetting(deps, request.params.key),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'createSetting',
        summary: 'Add a setting',
        body: NewSetting,
        response: { 201: ref(Setting), 409: Failure },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createSetting(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'updateSetting',
        summary: 'Change a setting; it takes effect at once',
        params: SettingParams,
        body: SettingChange,
        response: { 200: ref(Setting), 404: Failure },
      },
    },
    async (request) => changeSetting(deps, callerOf(request), request.params.key, request.body),
  )

  app.delete(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteSetting',
        summary: 'Remove a setting; a documented one is back at its default',
        params: SettingParams,
        response: { 204: NoContent, 404: Failure },
      },
    },
    async (request, reply) => {
      await removeSetting(deps, callerOf(request), request.params.key)
      return reply.code(204).send(null)
    },
  )
}
