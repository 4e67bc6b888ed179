import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { Brand } from '../src/schemas/brands.ts'
import { IdParams, List, ref } from '../src/schemas/common.ts'
import { getBrand, listAllBrands } from '../src/services/catalogue/brands.ts'

/** Specification, "Catalogue (public reads)". */
export const brandRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config: CACHEABLE,
    schema: {
      operationId: 'listBrands',
      summary: 'List brands by name',
      response: { 200: List(Brand, 'The brands') },
    },
    handler: async (request, reply) => reply.cacheable(await listAllBrands(deps, isByStaff(request))),
  })

  app.get('/:id', {
    config: CACHEABLE,
    schema: {
      operationId: 'getBrand',
      summary: 'Get a brand',
      params: IdParams,
      response: { 200: ref(Brand) },
    },
    handler: async (request, reply) =>
      reply.cacheable(await getBrand(deps, request.params.id, isByStaff(request))),
  })
}
