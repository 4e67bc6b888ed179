import { isByStaff } from '../plugins/auth.ts'
import { IdParams, List, ref } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import { Facets, Suggestions, SuggestQuery } from '../src/schemas/product-search.ts'
import { FacetQuery, ProductAttribute, ProductCard, ProductListQuery, ProductPage } from '../src/schemas/products.ts'
import { getFacets } from '../src/services/catalogue/attributes.ts'
import { getProduct, getProductAttributes, listProducts } from '../src/services/catalogue/products.ts'
import { suggest } from '../src/services/catalogue/suggest.ts'
import { routes } from './endpoints.ts'

/** Contract section 4. */
export const productRoutes = routes('public', (app, deps) => {
  app.cached('/', {
    operationId: 'listProducts',
    summary: 'List products',
    description:
      'A search finds products whose names contain every word, in any grammatical form; `correctedSearch` is the search used instead if the given one finds nothing. `attr.<name>=<value>` filters by an attribute: products have any of several values of one name, and all of several names. The public gets only active products, staff get all.',
    querystring: ProductListQuery,
    response: { 200: ref(ProductPage), 429: Failure },
    handler: async (request, reply) => reply.cacheable(await listProducts(deps, request.query, isByStaff(request))),
  })

  app.cached('/facets', {
    operationId: 'getProductFacets',
    summary: 'Count products by brand, category, price and attribute',
    description:
      "Takes the list's filters, `attr.<name>=<value>` included; each facet ignores its own filter. Counts active products only, for staff too.",
    querystring: FacetQuery,
    response: { 200: ref(Facets), 429: Failure },
    handler: async (request, reply) => reply.cacheable(await getFacets(deps, request.query)),
  })

  app.cached('/suggest', {
    operationId: 'suggestProducts',
    summary: 'Suggest completions of a search',
    description: 'If nothing is found, tries the other keyboard layout, then a correction.',
    querystring: SuggestQuery,
    response: { 200: ref(Suggestions), 429: Failure },
    handler: async (request, reply) => reply.cacheable(await suggest(deps, request.query)),
  })

  app.cached('/:id', {
    operationId: 'getProduct',
    summary: 'Get a product',
    description: 'An inactive product is a 404 for the public.',
    params: IdParams,
    response: { 200: ref(ProductCard) },
    handler: async (request, reply) => reply.cacheable(await getProduct(deps, request.params.id, isByStaff(request))),
  })

  app.cached('/:id/attributes', {
    operationId: 'listProductAttributes',
    summary: "List a product's attributes",
    description: "The supplier's and staff's, merged as on the card.",
    params: IdParams,
    response: { 200: List(ProductAttribute, 'The attributes') },
    handler: async (request, reply) =>
      reply.cacheable(await getProductAttributes(deps, request.params.id, isByStaff(request))),
  })
})
