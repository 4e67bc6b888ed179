import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { BrandInput, StaffBrand } from '../../src/schemas/brands.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import { updateBrand } from '../../src/services/catalogue/brands.ts'

/** See docs/catalogue.md. */
export const adminBrandRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id', {
    schema: {
      operationId: 'updateBrand',
      summary: 'Update a brand',
      description: "A name other than the supplier's survives every sync; a former slug redirects.",
      params: IdParams,
      headers: VersionHeaders,
      body: ref(BrandInput),
      response: { 200: ref(StaffBrand), 409: Conflict('SLUG_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => updateBrand(deps, callerOf(request), targetOf(request), request.body),
  })
}
