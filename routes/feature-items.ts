import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../src/schemas/common.ts'
import { FeatureItemInput, FeatureItems, StaffFeatureItem } from '../src/schemas/feature-items.ts'
import { PartOf, PartQuery } from '../src/schemas/lists.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import {
  createFeatureItem,
  deleteFeatureItem,
  getFeatureItem,
  listActiveFeatureItems,
  listFeatureItems,
  updateFeatureItem,
} from '../src/services/content/feature-items.ts'

/** See docs/content.md. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    schema: {
      operationId: 'listActiveFeatureItems',
      summary: 'List the features to show now',
      description: 'By display order.',
      querystring: PartQuery,
      response: { 200: PartOf(FeatureItems) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await listActiveFeatureItems(deps, request.query)),
  })

  app.get('/', {
    schema: {
      operationId: 'listFeatureItems',
      summary: 'List features',
      description: 'By display order, hidden ones included.',
      response: { 200: List(StaffFeatureItem, 'The features') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async () => listFeatureItems(deps),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getFeatureItem',
      summary: 'Get a feature',
      params: IdParams,
      response: { 200: ref(StaffFeatureItem) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => getFeatureItem(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createFeatureItem',
      summary: 'Create a feature',
      body: ref(FeatureItemInput),
      response: { 201: ref(StaffFeatureItem) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) =>
      reply.code(201).send(await createFeatureItem(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateFeatureItem',
      summary: 'Update a feature',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(FeatureItemInput),
      response: { 200: ref(StaffFeatureItem) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => updateFeatureItem(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteFeatureItem',
      summary: 'Delete a feature',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      await deleteFeatureItem(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
