import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { Brand } from '../src/schemas/brands.ts'
import { Category } from '../src/schemas/categories.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { ProductCard, SlugParams } from '../src/schemas/products.ts'
import { getBrandBySlug } from '../src/services/catalogue/brands.ts'
import { getCategoryBySlug } from '../src/services/catalogue/categories.ts'
import { getProductBySlug } from '../src/services/catalogue/products.ts'

const description = 'A former slug redirects to the current one. A hidden record is a 404 for the public.'

/** What can be found by slug; brands only with /api/v1. */
const PAGES = [
  { noun: 'products', id: 'Product', what: 'a product card', schema: ProductCard, find: getProductBySlug },
  { noun: 'categories', id: 'Category', what: 'a category', schema: Category, find: getCategoryBySlug },
  { noun: 'brands', id: 'Brand', what: 'a brand', schema: Brand, find: getBrandBySlug },
]

/** With and without /api/v1; a former slug redirects within the same prefix (contract sections 1 and 4). */
export const bySlugRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps, prefix } = app
  const suffix = prefix === '' ? 'WithoutPrefix' : ''
  for (const { noun, id, what, schema, find } of PAGES) {
    if (noun === 'brands' && prefix === '') continue
    app.get(`/${noun}/by-slug/:slug`, {
      config: CACHEABLE,
      schema: {
        tags: [noun],
        operationId: `get${id}BySlug${suffix}`,
        summary: `Get ${what} by its slug`,
        description,
        params: SlugParams,
        response: { 200: ref(schema), 301: NoContent },
      },
      handler: async (request, reply) => {
        const found = await find(deps, request.params.slug, isByStaff(request))
        if ('body' in found) return reply.cacheable(found.body)
        // Browsers would otherwise cache the redirect permanently, and loop once the record takes its former slug back.
        return reply
          .header('cache-control', 'no-cache')
          .redirect(`${prefix}/${noun}/by-slug/${found.movedTo}`, 301)
      },
    })
  }
}
