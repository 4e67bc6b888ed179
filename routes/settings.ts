import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../src/schemas/common.ts'
import { PublicSetting, PublicSettings, SettingParams, SettingsBatch } from '../src/schemas/settings.ts'
import {
  getPublicSetting,
  listPublicSettings,
  pickPublicSettings,
} from '../src/services/settings/settings.ts'

const config = { access: 'public' } as const

/** The public site settings (contract section 7, "Config"). */
export const settingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/public',
    {
      config,
      schema: {
        operationId: 'listPublicSettings',
        summary: 'All public settings',
        description:
          'Whatever the storefront needs to know: the name of the shop, its currency, what delivery costs.',
        response: { 200: ref(PublicSettings) },
      },
    },
    async () => listPublicSettings(deps),
  )

  app.post(
    '/batch',
    {
      config,
      schema: {
        operationId: 'pickPublicSettings',
        summary: 'Several public settings; keys that are not public are left out',
        description: 'A key that does not exist and one that is not public look the same.',
        body: ref(SettingsBatch),
        response: { 200: ref(PublicSettings) },
      },
    },
    async (request) => pickPublicSettings(deps, request.body),
  )

  app.get(
    '/:key',
    {
      config,
      schema: {
        operationId: 'getPublicSetting',
        summary: 'One public setting',
        description: 'One that is not public is a 404.',
        params: SettingParams,
        response: { 200: ref(PublicSetting) },
      },
    },
    async (request) => getPublicSetting(deps, request.params.key),
  )
}
