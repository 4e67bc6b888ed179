import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/product-editing.ts'
import { StaffProductCard } from '../../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as parts from '../../src/services/catalogue/product-parts.ts'

/** The tags of a product (docs/catalogue.md). */
export const productTagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id/tags', {
    schema: {
      params: IdParams,
      headers: VersionHeaders,
      operationId: 'replaceProductTags',
      summary: 'Replace the tags of a product',
      body: ref(wire.ProductTags),
      response: { 200: ref(StaffProductCard) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => parts.setTags(deps, callerOf(request), targetOf(request), request.body),
  })
}
