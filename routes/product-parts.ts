import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import {
  ImagePlaceQuery,
  ManualAttributes,
  ProductImageParams,
  ProductImages,
  ProductTags,
  SlugChoice,
} from '../src/schemas/product-editing.ts'
import { ProductCard } from '../src/schemas/products.ts'
import * as parts from '../src/services/catalogue/product-parts.ts'
import { targetOf, VERSIONED } from './targets.ts'

const config = { access: 'ADMIN' } as const
const image = { params: ProductImageParams, headers: VersionHeaders }
const edited = { 200: ref(ProductCard) }

/** Specification, "Product and category editing"; contract section 4. */
export const productPartRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id/attributes', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'replaceProductAttributes',
      summary: 'Replace the manual attributes of a product',
      description: 'Each hides the supplier’s attribute of the same name.',
      body: ref(ManualAttributes),
      response: edited,
    },
    handler: async (request) => parts.setAttributes(deps, callerOf(request), targetOf(request), request.body),
  })

  app.put('/:id/tags', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'replaceProductTags',
      summary: 'Replace the tags of a product',
      body: ref(ProductTags),
      response: edited,
    },
    handler: async (request) => parts.setTags(deps, callerOf(request), targetOf(request), request.body),
  })

  app.put('/:id/images', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'replaceProductImages',
      summary: 'Replace the images of a product',
      body: ref(ProductImages),
      response: edited,
    },
    handler: async (request) => parts.setImages(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/:productId/images/:imageId', {
    config,
    schema: {
      ...image,
      operationId: 'linkProductImage',
      summary: 'Link an image to a product',
      description: 'An image that is already linked is moved.',
      querystring: ImagePlaceQuery,
      response: edited,
    },
    handler: async (request) => {
      const { productId, imageId } = request.params
      const target = targetOf({ params: { id: productId }, headers: request.headers })
      const link = { imageId, displayOrder: request.query.displayOrder }
      return parts.addImage(deps, callerOf(request), target, link)
    },
  })

  app.delete('/:productId/images/:imageId', {
    config,
    schema: {
      ...image,
      operationId: 'unlinkProductImage',
      summary: 'Unlink an image from a product',
      description: 'The image itself remains.',
      response: { 204: NoContent },
    },
    handler: async (request) => {
      const { productId, imageId } = request.params
      const target = targetOf({ params: { id: productId }, headers: request.headers })
      await parts.removeImage(deps, callerOf(request), target, imageId)
    },
  })

  app.put('/:id/slug', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'setProductSlug',
      summary: 'Set the slug of a product',
      description: 'The former slug redirects to it.',
      body: ref(SlugChoice),
      response: { ...edited, 409: Conflict('SLUG_TAKEN') },
    },
    handler: async (request) => parts.setSlug(deps, callerOf(request), targetOf(request), request.body.slug),
  })

  app.post('/:id/slug/regenerate', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'regenerateProductSlug',
      summary: 'Regenerate the slug of a product from its name',
      description: 'The former slug redirects to it.',
      response: edited,
    },
    handler: async (request) => parts.setSlug(deps, callerOf(request), targetOf(request)),
  })
}
