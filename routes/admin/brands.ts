import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Brand, BrandInput } from '../../src/schemas/brands.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { checkBrand, updateBrand } from '../../src/services/catalogue/brands.ts'

/** Contract section 4, "Brands". */
export const brandEditingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id', {
    config: { access: 'ADMIN', check: checkBrand },
    schema: {
      operationId: 'updateBrand',
      summary: 'Update a brand',
      description:
        "A name other than the supplier's survives every sync. A former slug redirects to the current one.",
      params: IdParams,
      body: ref(BrandInput),
      response: { 200: ref(Brand), 409: Conflict('SLUG_TAKEN') },
    },
    handler: async (request) => updateBrand(deps, callerOf(request), request.params.id, request.body),
  })
}
