import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Failure, IdParams, ref } from '../src/schemas/common.ts'
import { ProductAttribute, ProductCard, ProductPage, ProductQuery } from '../src/schemas/products.ts'
import { getProduct, getProductAttributes, listProducts } from '../src/services/catalogue/products.ts'

const tags = ['products']
const config = { access: 'public' } as const

/** Contract section 4. */
export const productRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listProducts',
        summary: 'Products, filtered, searched and sorted',
        querystring: ProductQuery,
        response: { 200: ProductPage },
      },
    },
    async (request, reply) => reply.json(await listProducts(deps, request.query, isByStaff(request))),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getProduct',
        summary: 'A product card',
        params: IdParams,
        response: { 200: ref(ProductCard), 404: Failure },
      },
    },
    async (request, reply) => reply.json(await getProduct(deps, request.params.id, isByStaff(request))),
  )

  app.get(
    '/:id/attributes',
    {
      config,
      schema: {
        tags,
        operationId: 'listProductAttributes',
        summary: "A product's attributes",
        params: IdParams,
        response: { 200: Type.Array(ref(ProductAttribute)), 404: Failure },
      },
    },
    async (request, reply) =>
      reply.json(await getProductAttributes(deps, request.params.id, isByStaff(request))),
  )
}
