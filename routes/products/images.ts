import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/product-editing.ts'
import { StaffProductCard } from '../../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as parts from '../../src/services/catalogue/product-parts.ts'

const image = { params: wire.ProductImageParams, headers: VersionHeaders }
const edited = { 200: ref(StaffProductCard) }

/** The images of a product (docs/catalogue.md). */
export const productImageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id/images', {
    schema: {
      params: IdParams,
      headers: VersionHeaders,
      operationId: 'replaceProductImages',
      summary: 'Replace the images of a product',
      body: ref(wire.ProductImages),
      response: edited,
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => parts.setImages(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/:productId/images/:imageId', {
    schema: {
      ...image,
      operationId: 'linkProductImage',
      summary: 'Link an image to a product',
      description: 'An image that is already linked is moved.',
      querystring: wire.ImagePlaceQuery,
      response: edited,
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => {
      const { productId, imageId } = request.params
      const target = { id: productId, ifMatch: request.headers['if-match'] }
      return parts.addImage(deps, callerOf(request), target, imageId, request.query.displayOrder)
    },
  })

  app.delete('/:productId/images/:imageId', {
    schema: {
      ...image,
      operationId: 'unlinkProductImage',
      summary: 'Unlink an image from a product',
      description: 'The image itself remains.',
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request, reply) => {
      const { productId, imageId } = request.params
      const target = { id: productId, ifMatch: request.headers['if-match'] }
      await parts.removeImage(deps, callerOf(request), target, imageId)
      return reply.code(204).send()
    },
  })
}
