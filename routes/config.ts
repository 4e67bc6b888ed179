import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure, ref } from '../src/schemas/common.ts'
import { ConfigBatch, ConfigKeyParams, PublicConfig, PublicConfigEntry } from '../src/schemas/settings.ts'
import { getPublicConfig, listPublicConfig, pickPublicConfig } from '../src/services/settings/settings.ts'

const tags = ['config']
const config = { access: 'public' } as const

/** The public site settings (contract section 7, "Config"). */
export const configRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/public',
    {
      config,
      schema: {
        tags,
        operationId: 'listPublicConfig',
        summary: 'All public settings',
        response: { 200: ref(PublicConfig) },
      },
    },
    async () => listPublicConfig(deps),
  )

  app.post(
    '/batch',
    {
      config,
      schema: {
        tags,
        operationId: 'batchPublicConfig',
        summary: 'Several public settings; keys that are not public are left out',
        body: ConfigBatch,
        response: { 200: ref(PublicConfig) },
      },
    },
    async (request) => pickPublicConfig(deps, request.body),
  )

  app.get(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'getPublicConfig',
        summary: 'One public setting',
        params: ConfigKeyParams,
        response: { 200: ref(PublicConfigEntry), 404: Failure },
      },
    },
    async (request) => getPublicConfig(deps, request.params.key),
  )
}
