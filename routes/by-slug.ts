import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { Category } from '../src/schemas/categories.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { ProductCard, SlugParams } from '../src/schemas/products.ts'
import { getCategoryBySlug } from '../src/services/catalogue/categories.ts'
import { getProductBySlug } from '../src/services/catalogue/product-cards.ts'

/**
 * With and without /api/v1; a former slug redirects to the same form of address (contract sections 1 and 4). Browsers would
 * store the redirect for good otherwise, and loop when the record takes its former slug back.
 */
export const bySlugRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps, prefix } = app
  const suffix = prefix === '' ? 'WithoutPrefix' : ''

  app.get('/products/by-slug/:slug', {
    config: CACHEABLE,
    schema: {
      operationId: `getProductBySlug${suffix}`,
      summary: 'Get a product card by its slug',
      description: 'A former slug redirects to the current one.',
      params: SlugParams,
      response: { 200: ref(ProductCard), 301: NoContent },
    },
    handler: async (request, reply) => {
      const found = await getProductBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply
        .header('cache-control', 'no-cache')
        .redirect(`${prefix}/products/by-slug/${found.movedTo}`, 301)
    },
  })

  app.get('/categories/by-slug/:slug', {
    config: CACHEABLE,
    schema: {
      tags: ['categories'],
      operationId: `getCategoryBySlug${suffix}`,
      summary: 'Get a category by its slug',
      description: 'A former slug redirects to the current one. Hidden categories are a 404 to the public.',
      params: SlugParams,
      response: { 200: ref(Category), 301: NoContent },
    },
    handler: async (request, reply) => {
      const found = await getCategoryBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply
        .header('cache-control', 'no-cache')
        .redirect(`${prefix}/categories/by-slug/${found.movedTo}`, 301)
    },
  })
}
