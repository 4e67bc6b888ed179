import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { SlugChoice } from '../../src/schemas/product-editing.ts'
import { StaffProductCard } from '../../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as parts from '../../src/services/catalogue/product-parts.ts'

/** The slug of a product (docs/catalogue.md). */
export const productSlugRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.put('/:id/slug', {
    schema: {
      operationId: 'setProductSlug',
      summary: 'Set the slug of a product',
      description: 'The former slug redirects to it.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(SlugChoice),
      response: { 200: ref(StaffProductCard), 409: Conflict('SLUG_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => parts.setSlug(deps, callerOf(request), targetOf(request), request.body.slug),
  })

  app.post('/:id/slug/regenerate', {
    schema: {
      operationId: 'regenerateProductSlug',
      summary: 'Regenerate the slug of a product from its name',
      description: 'The former slug redirects to it.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 200: ref(StaffProductCard) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => parts.setSlug(deps, callerOf(request), targetOf(request)),
  })
}
