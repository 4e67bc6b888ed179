import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, NoContent, ref } from '../../src/schemas/common.ts'
import {
  ConfigEntry,
  ConfigEntryChange,
  ConfigKeyParams,
  NewConfigEntry,
} from '../../src/schemas/settings.ts'
import {
  createConfigEntry,
  deleteConfigEntry,
  getConfigEntry,
  listConfigEntries,
  updateConfigEntry,
} from '../../src/services/settings/settings.ts'

const tags = ['config']
const config = { access: 'ADMIN' } as const

/** All site settings, for staff (contract sections 2 and 7). */
export const adminConfigRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listConfig',
        summary: 'All settings',
        response: { 200: Type.Array(ref(ConfigEntry)) },
      },
    },
    async () => listConfigEntries(deps),
  )

  app.get(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'getConfig',
        summary: 'One setting',
        params: ConfigKeyParams,
        response: { 200: ref(ConfigEntry), 404: Failure },
      },
    },
    async (request) => getConfigEntry(deps, request.params.key),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'createConfig',
        summary: 'Add a setting',
        body: NewConfigEntry,
        response: { 201: ref(ConfigEntry), 409: Failure },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createConfigEntry(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'updateConfig',
        summary: 'Change a setting; it takes effect at once',
        params: ConfigKeyParams,
        body: ConfigEntryChange,
        response: { 200: ref(ConfigEntry), 404: Failure },
      },
    },
    async (request) => updateConfigEntry(deps, callerOf(request), request.params.key, request.body),
  )

  app.delete(
    '/:key',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteConfig',
        summary: 'Remove a setting; a documented one is back at its default',
        params: ConfigKeyParams,
        response: { 204: NoContent, 404: Failure },
      },
    },
    async (request, reply) => {
      await deleteConfigEntry(deps, callerOf(request), request.params.key)
      return reply.code(204).send(null)
    },
  )
}
