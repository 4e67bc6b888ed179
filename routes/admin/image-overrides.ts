import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { List } from '../../src/schemas/common.ts'
import { ImageOverride, ImageOverrideInput, ImageOverrideQuery } from '../../src/schemas/image-overrides.ts'
import { IMAGE_OVERRIDES, listImageOverrides } from '../../src/services/pipeline/image-overrides.ts'
import { recordUseCases } from '../../src/services/records.ts'
import { recordRoutes } from '../record-routes.ts'

/** Contract section 9. */
export const imageOverrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config: { access: 'ADMIN' },
    schema: {
      operationId: 'listImageOverrides',
      summary: 'List image overrides',
      description: "By id. An override replaces the images of the product's page, or adds to them.",
      querystring: ImageOverrideQuery,
      response: { 200: List(ImageOverride, 'The image overrides') },
    },
    handler: async (request) => listImageOverrides(deps, request.query.productId),
  })
  recordRoutes(app, {
    access: 'ADMIN',
    id: 'ImageOverride',
    name: 'image override',
    record: ImageOverride,
    input: ImageOverrideInput,
    notes: {
      create: "Takes effect when the product's images are fetched next.",
      update: "Takes effect when the product's images are fetched next.",
      delete: 'Images already fetched stay.',
    },
    conflicts: { create: ['PRODUCT_OVERRIDDEN'], update: ['PRODUCT_OVERRIDDEN'] },
    ...recordUseCases(IMAGE_OVERRIDES),
  })
}
