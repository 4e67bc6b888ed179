import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import { FeatureItem, FeatureItemInput, PublicFeatureItem } from '../src/schemas/feature-items.ts'
import { FEATURE_ITEMS, featureValues, listActiveFeatures } from '../src/services/content/feature-items.ts'
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
} from '../src/services/content/records.ts'
import { targetOf } from './targets.ts'

const config = { access: 'EDITOR' } as const

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/active',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listActiveFeatureItems',
        summary: 'What the storefront shows now',
        description: 'In the order in which they are shown.',
        response: { 200: Type.Array(ref(PublicFeatureItem), { description: 'The features' }) },
      },
    },
    async () => listActiveFeatures(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listFeatureItems',
        summary: 'All features in the order in which they are shown',
        description: 'Those that are not shown too.',
        response: { 200: Type.Array(ref(FeatureItem), { description: 'The features' }) },
      },
    },
    async () => listRecords(deps, FEATURE_ITEMS),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        operationId: 'getFeatureItem',
        summary: 'One feature',
        description: "With its version, for a change that loses nobody's work.",
        params: IdParams,
        response: { 200: ref(FeatureItem) },
      },
    },
    async (request) => getRecord(deps, FEATURE_ITEMS, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createFeatureItem',
        summary: 'Add a feature',
        description: 'What links somewhere links into the shop or to http(s).',
        body: ref(FeatureItemInput),
        response: { 201: ref(FeatureItem) },
      },
    },
    async (request, reply) => {
      const values = featureValues(request.body)
      return reply.code(201).send(await createRecord(deps, FEATURE_ITEMS, callerOf(request), values))
    },
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateFeatureItem',
        summary: 'Change a feature',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(FeatureItemInput),
        response: { 200: ref(FeatureItem), 412: Failure },
      },
    },
    async (request) => {
      const values = featureValues(request.body)
      return changeRecord(deps, FEATURE_ITEMS, callerOf(request), targetOf(request), values)
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteFeatureItem',
        summary: 'Delete a feature',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, FEATURE_ITEMS, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}
