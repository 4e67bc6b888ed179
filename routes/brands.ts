import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Brand, Brands, StaffBrand, StaffBrands } from '../src/schemas/brands.ts'
import { ForCaller, IdParams } from '../src/schemas/common.ts'
import { PartOf, PartQuery } from '../src/schemas/lists.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { getBrand, getBrandBySlug, listBrands } from '../src/services/catalogue/brands.ts'

/** See docs/catalogue.md. */
export const brandRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listBrands',
      summary: 'List brands by name',
      querystring: PartQuery,
      response: { 200: PartOf(ForCaller(Brands, StaffBrands)) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await listBrands(deps, request.query, isByStaff(request))),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getBrand',
      summary: 'Get a brand',
      params: IdParams,
      response: { 200: ForCaller(Brand, StaffBrand) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await getBrand(deps, request.params.id, isByStaff(request))),
  })

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getBrandBySlug',
      summary: 'Get a brand by its slug',
      description: 'A former slug redirects to the current one. A hidden record is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(Brand, StaffBrand), 301: Type.Null() },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const found = await getBrandBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply.header('cache-control', 'no-cache').redirect(`/api/v1/brands/by-slug/${found.movedTo}`, 301)
    },
  })
}
