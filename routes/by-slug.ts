import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Category } from '../src/schemas/categories.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { ProductCard, SlugParams } from '../src/schemas/products.ts'
import { getCategoryBySlug } from '../src/services/catalogue/categories.ts'
import { getProductBySlug } from '../src/services/catalogue/product-cards.ts'

const config = { access: 'public', optionalToken: true } as const

/** With and without /api/v1; an old slug leads to the same form of address (contract sections 1 and 4). */
export const bySlugRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps, prefix } = app
  const suffix = prefix === '' ? 'WithoutPrefix' : ''

  app.get(
    '/products/by-slug/:slug',
    {
      config,
      schema: {
        operationId: `getProductBySlug${suffix}`,
        summary: 'A product card by its slug; 301 from a former one',
        description: 'A slug that the product had before leads to the present one.',
        params: SlugParams,
        response: { 200: ref(ProductCard), 301: NoContent },
      },
    },
    async (request, reply) => {
      const found = await getProductBySlug(deps, request.params.slug, isByStaff(request))
      if ('json' in found) return reply.json(found.json)
      return reply.redirect(`${prefix}/products/by-slug/${found.movedTo}`, 301)
    },
  )

  app.get(
    '/categories/by-slug/:slug',
    {
      config,
      schema: {
        tags: ['categories'],
        operationId: `getCategoryBySlug${suffix}`,
        summary: 'A category by its slug; 301 from a former one',
        description:
          'A slug that the category had before leads to the present one. Hidden ones are a 404 to the public.',
        params: SlugParams,
        response: { 200: ref(Category), 301: NoContent },
      },
    },
    async (request, reply) => {
      const found = await getCategoryBySlug(deps, request.params.slug, isByStaff(request))
      if ('json' in found) return reply.json(found.json)
      return reply.redirect(`${prefix}/categories/by-slug/${found.movedTo}`, 301)
    },
  )
}
