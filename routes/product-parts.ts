import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import {
  ImagePlaceQuery,
  ManualAttributes,
  ProductImageParams,
  ProductTags,
  SlugChoice,
} from '../src/schemas/product-editing.ts'
import { ProductCard } from '../src/schemas/products.ts'
import * as parts from '../src/services/catalogue/product-parts.ts'
import { targetOf } from './targets.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Product and category editing"; contract section 4. */
export const productPartRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put(
    '/:id/attributes',
    {
      config,
      schema: {
        operationId: 'replaceProductAttributes',
        summary: "Set staff's attributes of a product",
        description:
          'All of them: those that are not sent are gone. Each hides the supplier’s of the same name. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ManualAttributes),
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => parts.setAttributes(deps, callerOf(request), targetOf(request), request.body),
  )

  app.put(
    '/:id/tags',
    {
      config,
      schema: {
        operationId: 'replaceProductTags',
        summary: 'Set the tags of a product',
        description: 'All of them. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ProductTags),
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => parts.setTags(deps, callerOf(request), targetOf(request), request.body),
  )

  app.post(
    '/:productId/images/:imageId',
    {
      config,
      schema: {
        operationId: 'linkProductImage',
        summary: 'Give a product an image, or move it',
        description:
          'One that the product has already gets another place. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: ProductImageParams,
        headers: VersionHeaders,
        querystring: ImagePlaceQuery,
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => {
      const { productId, imageId } = request.params
      const target = targetOf({ params: { id: productId }, headers: request.headers })
      const image = { imageId, displayOrder: request.query.displayOrder }
      return parts.addImage(deps, callerOf(request), target, image)
    },
  )

  app.delete(
    '/:productId/images/:imageId',
    {
      config,
      schema: {
        operationId: 'unlinkProductImage',
        summary: 'Take an image from a product',
        description:
          'The image itself stays. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: ProductImageParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      const { productId, imageId } = request.params
      const target = targetOf({ params: { id: productId }, headers: request.headers })
      await parts.removeImage(deps, callerOf(request), target, imageId)
      return reply.code(204).send(null)
    },
  )

  app.put(
    '/:id/slug',
    {
      config,
      schema: {
        operationId: 'setProductSlug',
        summary: 'Choose the slug of a product',
        description:
          'The former one goes on leading here. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(SlugChoice),
        response: { 200: ref(ProductCard), 409: Conflict('SLUG_TAKEN'), 412: Failure },
      },
    },
    async (request) => parts.setSlug(deps, callerOf(request), targetOf(request), request.body.slug),
  )

  app.post(
    '/:id/slug/regenerate',
    {
      config,
      schema: {
        operationId: 'regenerateProductSlug',
        summary: 'Make the slug of a product from its name',
        description:
          'The former one goes on leading here. With `If-Match`, only if nobody else changed the product meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => parts.regenerateSlug(deps, callerOf(request), targetOf(request)),
  )
}
