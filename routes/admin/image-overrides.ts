import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict, Failure } from '../../src/schemas/errors.ts'
import { ImageOverride, ImageOverrideInput, ImageOverrideQuery } from '../../src/schemas/image-overrides.ts'
import { deleteRecord } from '../../src/services/content/records.ts'
import {
  changeImageOverride,
  createImageOverride,
  IMAGE_OVERRIDES,
  listImageOverrides,
} from '../../src/services/pipeline/image-overrides.ts'
import { targetOf } from '../targets.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 9: images that staff choose for a product, instead of those of its page or after them. */
export const imageOverrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listImageOverrides',
        summary: 'Images that staff chose for products',
        description: 'In the order in which they were made.',
        querystring: ImageOverrideQuery,
        response: { 200: Type.Array(ref(ImageOverride), { description: 'The overrides' }) },
      },
    },
    async (request) => listImageOverrides(deps, request.query.productId),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createImageOverride',
        summary: 'Choose images for a product',
        description: "It counts when the product's images are fetched next.",
        body: ref(ImageOverrideInput),
        response: { 201: ref(ImageOverride), 409: Conflict('PRODUCT_OVERRIDDEN') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createImageOverride(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateImageOverride',
        summary: 'Change the images that were chosen',
        description: "It counts when the product's images are fetched next.",
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ImageOverrideInput),
        response: { 200: ref(ImageOverride), 409: Conflict('PRODUCT_OVERRIDDEN'), 412: Failure },
      },
    },
    async (request) => changeImageOverride(deps, callerOf(request), targetOf(request), request.body),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteImageOverride',
        summary: 'Choose no images for the product any more',
        description: 'What was fetched stays.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, IMAGE_OVERRIDES, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}
