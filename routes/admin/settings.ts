import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict, Failure } from '../../src/schemas/errors.ts'
import { NewSetting, Setting, SettingChange, SettingParams } from '../../src/schemas/settings.ts'
import {
  changeSetting,
  createSetting,
  getSetting,
  listAllSettings,
  removeSetting,
} from '../../src/services/settings/settings.ts'

import { settingOf } from '../targets.ts'

const config = { access: 'ADMIN' } as const

/** All site settings, for staff (contract sections 2 and 7). */
export const settingAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listSettings',
        summary: 'All settings',
        description: 'The private ones too.',
        response: { 200: Type.Array(ref(Setting), { description: 'The settings, by key' }) },
      },
    },
    async () => listAllSettings(deps),
  )

  app.get(
    '/:key',
    {
      config,
      schema: {
        operationId: 'getSetting',
        summary: 'One setting',
        description: 'Private or not.',
        params: SettingParams,
        response: { 200: ref(Setting) },
      },
    },
    async (request) => getSetting(deps, request.params.key),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createSetting',
        summary: 'Add a setting',
        description: "For a storefront of one's own: the documented ones are there already.",
        body: ref(NewSetting),
        response: { 201: ref(Setting), 409: Conflict('KEY_TAKEN') },
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
        operationId: 'updateSetting',
        summary: 'Change a setting; it takes effect at once',
        description:
          'On every instance. What is absent stays as it is. With `If-Match`, only if nobody else changed it meanwhile.',
        params: SettingParams,
        headers: VersionHeaders,
        body: ref(SettingChange),
        response: { 200: ref(Setting), 412: Failure },
      },
    },
    async (request) => changeSetting(deps, callerOf(request), settingOf(request), request.body),
  )

  app.delete(
    '/:key',
    {
      config,
      schema: {
        operationId: 'deleteSetting',
        summary: 'Remove a setting; a documented one is back at its default',
        description:
          'What the shop needs it always has a value for. With `If-Match`, only if nobody else changed it meanwhile.',
        params: SettingParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await removeSetting(deps, callerOf(request), settingOf(request))
      return reply.code(204).send(null)
    },
  )
}
