import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../../src/schemas/common.ts'
import { Conflict } from '../../../src/schemas/errors.ts'
import * as wire from '../../../src/schemas/image-overrides.ts'
import { targetOf, VersionHeaders } from '../../../src/schemas/versions.ts'
import {
  createImageOverride,
  deleteImageOverride,
  listImageOverrides,
  updateImageOverride,
} from '../../../src/services/pipeline/image-overrides.ts'

/** See docs/pipeline.md. */
export const imageOverrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listImageOverrides',
      summary: 'List image overrides',
      description: "By id. An override replaces the images of the product's page, or adds to them.",
      response: { 200: List(wire.ImageOverride, 'The image overrides') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listImageOverrides(deps),
  })

  app.post('/', {
    schema: {
      operationId: 'createImageOverride',
      summary: 'Create an image override',
      description: "Takes effect when the product's images are fetched next.",
      body: ref(wire.ImageOverrideInput),
      response: { 201: ref(wire.ImageOverride), 409: Conflict('PRODUCT_OVERRIDDEN') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) =>
      reply.code(201).send(await createImageOverride(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateImageOverride',
      summary: 'Update an image override',
      description: "Takes effect when the product's images are fetched next.",
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.ImageOverrideInput),
      response: { 200: ref(wire.ImageOverride), 409: Conflict('PRODUCT_OVERRIDDEN') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => updateImageOverride(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteImageOverride',
      summary: 'Delete an image override',
      description: 'Images already fetched stay.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      await deleteImageOverride(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
