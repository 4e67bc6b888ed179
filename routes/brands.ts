import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Brand } from '../src/schemas/brands.ts'
import { Failure, IdParams, ref } from '../src/schemas/common.ts'
import { getBrand, listAllBrands } from '../src/services/catalogue/brands.ts'

const tags = ['brands']
const config = { access: 'public' } as const

/** Specification, "Catalogue (public reads)". */
export const brandRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listBrands',
        summary: 'All brands by name',
        response: { 200: Type.Array(ref(Brand)) },
      },
    },
    async (_request, reply) => reply.json(await listAllBrands(deps)),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getBrand',
        summary: 'A brand',
        params: IdParams,
        response: { 200: ref(Brand), 404: Failure },
      },
    },
    async (request, reply) => reply.json(await getBrand(deps, request.params.id)),
  )
}
