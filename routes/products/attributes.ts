import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, isByStaff } from '../../plugins/auth.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/product-editing.ts'
import { ProductAttributes, StaffProductCard } from '../../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as parts from '../../src/services/catalogue/product-parts.ts'
import { getProductAttributes } from '../../src/services/catalogue/products.ts'

/** The attributes of a product (docs/catalogue.md). */
export const productAttributeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/:id/attributes', {
    schema: {
      operationId: 'listProductAttributes',
      tags: ['products'],
      summary: "List a product's attributes",
      description: "The supplier's and staff's, merged as on the card.",
      params: IdParams,
      response: { 200: ProductAttributes },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) =>
      reply.cacheable(await getProductAttributes(deps, request.params.id, isByStaff(request))),
  })

  app.put('/:id/attributes', {
    schema: {
      params: IdParams,
      headers: VersionHeaders,
      operationId: 'replaceProductAttributes',
      summary: 'Replace the manual attributes of a product',
      description: "Each hides the supplier's attribute of the same name.",
      body: ref(wire.ManualAttributes),
      response: { 200: ref(StaffProductCard) },
    },
    config: { access: 'ADMIN', permission: 'products', check: parts.checkAttributes },
    handler: async (request) => parts.setAttributes(deps, callerOf(request), targetOf(request), request.body),
  })
}
