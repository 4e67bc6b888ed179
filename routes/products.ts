import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf, isByStaff } from '../plugins/auth.ts'
import { ForCaller, IdParams, NoContent, ref } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import * as wire from '../src/schemas/product-editing.ts'
import { Facets, Suggestions, SuggestQuery } from '../src/schemas/product-search.ts'
import {
  FacetQuery,
  ProductCard,
  ProductListQuery,
  ProductPage,
  SlugParams,
  StaffProductCard,
  StaffProductPage,
} from '../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import { getFacets } from '../src/services/catalogue/attributes.ts'
import { checkProducts, editProducts } from '../src/services/catalogue/product-bulk.ts'
import * as editing from '../src/services/catalogue/product-editing.ts'
import { getProduct, getProductBySlug, listProducts } from '../src/services/catalogue/products.ts'
import { suggest } from '../src/services/catalogue/suggest.ts'

/** See docs/catalogue.md. */
export const productRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const limitCorrections = app.costlyLimit()

  app.get('/', {
    schema: {
      operationId: 'listProducts',
      summary: 'List products',
      description:
        'A search finds products whose names contain every word, in any grammatical form; `correctedSearch` is the search used instead if the given one finds nothing. `attr.<name>=<value>` filters by an attribute: products have any of several values of one name, and all of several names. The public gets only active products, staff get all.',
      querystring: ProductListQuery,
      response: { 200: ForCaller(ProductPage, StaffProductPage), 429: Failure },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const limit = () => limitCorrections(request)
      return reply.cacheable(await listProducts(deps, request.query, isByStaff(request), limit))
    },
  })

  app.get('/facets', {
    schema: {
      operationId: 'getProductFacets',
      summary: 'Count products by brand, category, price and attribute',
      description:
        "Takes the list's filters, `attr.<name>=<value>` included; each facet ignores its own filter. Counts active products only, for staff too.",
      querystring: FacetQuery,
      response: { 200: ref(Facets), 429: Failure },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) =>
      reply.cacheable(await getFacets(deps, request.query, () => limitCorrections(request))),
  })

  app.get('/suggest', {
    schema: {
      operationId: 'suggestProducts',
      summary: 'Suggest completions of a search',
      description: 'If nothing is found, tries the other keyboard layout, then a correction.',
      querystring: SuggestQuery,
      response: { 200: ref(Suggestions), 429: Failure },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) =>
      reply.cacheable(await suggest(deps, request.query, () => limitCorrections(request))),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getProduct',
      summary: 'Get a product',
      description: 'An inactive product is a 404 for the public.',
      params: IdParams,
      response: { 200: ForCaller(ProductCard, StaffProductCard) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await getProduct(deps, request.params.id, isByStaff(request))),
  })

  app.post('/', {
    schema: {
      operationId: 'createProduct',
      tags: ['products (staff)'],
      summary: 'Create a product',
      description: "With `externalId` it is the supplier's, even if deleted here; the sync fills in the rest.",
      body: ref(wire.NewProduct),
      response: { 201: ref(StaffProductCard), 409: Conflict('EXTERNAL_ID_TAKEN') },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request, reply) =>
      reply.code(201).send(await editing.createProduct(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'replaceProduct',
      tags: ['products (staff)'],
      summary: 'Update a product',
      description:
        "Absent fields keep their values. Changed fields of a supplier's product become overrides; its price and stock cannot be changed.",
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.ProductReplacement),
      response: { 200: ref(StaffProductCard) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => editing.replaceProduct(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteProduct',
      tags: ['products (staff)'],
      summary: 'Delete a product',
      description: "Orders keep their lines. The sync does not bring a supplier's product back.",
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request, reply) => {
      await editing.deleteProduct(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.patch('/:id', {
    schema: {
      params: IdParams,
      headers: VersionHeaders,
      operationId: 'updateProduct',
      tags: ['products (staff)'],
      summary: 'Update some fields of a product',
      description:
        "An empty metaTitle or metaDescription, or its flag, restores the template; `clearOverrides` lets the next sync restore the supplier's values. A flag wins over a value.",
      body: ref(wire.ProductPatch),
      response: { 200: ref(StaffProductCard) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => editing.updateProduct(deps, callerOf(request), targetOf(request), request.body),
  })

  app.patch('/', {
    schema: {
      operationId: 'updateProducts',
      tags: ['products (staff)'],
      summary: 'Update many products',
      description: 'All or nothing, at most 10 000: if `errors` names any product, none was changed.',
      querystring: wire.BulkEditQuery,
      body: ref(wire.BulkEdit),
      response: { 200: ref(wire.BulkEdited), 409: Conflict('TOO_MANY_PRODUCTS') },
    },
    config: { access: 'ADMIN', permission: 'products', check: checkProducts },
    handler: async (request) => {
      const how = { ...request.query, language: request.language }
      return editProducts(deps, callerOf(request), request.body, how)
    },
  })

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getProductBySlug',
      summary: 'Get a product card by its slug',
      description: 'A former slug redirects to the current one. A hidden record is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(ProductCard, StaffProductCard), 301: Type.Null() },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const found = await getProductBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply.header('cache-control', 'no-cache').redirect(`/api/v1/products/by-slug/${found.movedTo}`, 301)
    },
  })
}

/** Pages by slug, without the prefix of the API too (docs/accounts.md). */
export const productAliasRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getProductBySlugWithoutPrefix',
      summary: 'Get a product card by its slug',
      description: 'A former slug redirects to the current one. A hidden record is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(ProductCard, StaffProductCard), 301: Type.Null() },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const found = await getProductBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply.header('cache-control', 'no-cache').redirect(`/products/by-slug/${found.movedTo}`, 301)
    },
  })
}
