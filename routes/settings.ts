import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure, ref } from '../src/schemas/common.ts'
import { PublicSetting, PublicSettings, SettingParams, SettingsBatch } from '../src/schemas/settings.ts'
import {
  getPublicSetting,
  listPublicSettings,
  pickPublicSettings,
} from '../src/services/settings/settings.ts'

const tags = ['config']
const config = { access: 'public' } as const

/** The public site settings (contract section 7, "Config"). */
export const settingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/public',
    {
      config,
      schema: {
        tags,
        operationId: 'listPublicSettings',
        summary: 'All public settings',
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
        tags,
        operationId: 'pickPublicSettings',
        summary: 'Several public settings; keys that are not public are left out',
        body: SettingsBatch,
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
        tags,
        operationId: 'getPublicSetting',
        summary: 'One public setting',
        params: SettingParams,
        response: { 200: ref(PublicSetting), 404: Failure },
      },
    },
    async (request) => getPublicSetting(deps, request.params.key),
  )
}
