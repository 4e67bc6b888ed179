import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { IdParams, ref } from '../src/schemas/common.ts'
import { Facets } from '../src/schemas/facets.ts'
import {
  FacetQuery,
  ProductAttribute,
  ProductCard,
  ProductListQuery,
  ProductPage,
} from '../src/schemas/products.ts'
import { Suggestions, SuggestQuery } from '../src/schemas/suggest.ts'
import { getFacets } from '../src/services/catalogue/facets.ts'
import { getProduct, getProductAttributes } from '../src/services/catalogue/product-cards.ts'
import { listProducts } from '../src/services/catalogue/products.ts'
import { suggest } from '../src/services/catalogue/suggest.ts'

const config = { access: 'public', optionalToken: true } as const

/** Contract section 4. */
export const productRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listProducts',
        summary: 'Products, filtered, searched and sorted',
        description:
          'A search finds products in whose name every word occurs, in whatever form; where none does, `correctedSearch` says what it was taken for. `attr.<name>=<value>` narrows by an attribute: several values of a name mean any of them, several names all. The public sees active products only, staff all.',
        querystring: ProductListQuery,
        response: { 200: ref(ProductPage) },
      },
    },
    async (request, reply) => reply.json(await listProducts(deps, request.query, isByStaff(request))),
  )

  app.get(
    '/facets',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getProductFacets',
        summary: 'How the products of a list spread over brands, categories, prices and attributes',
        description:
          "Takes the list's filters, `attr.<name>=<value>` included; each facet is counted without its own filter.",
        querystring: FacetQuery,
        response: { 200: ref(Facets) },
      },
    },
    async (request, reply) => reply.json(await getFacets(deps, request.query)),
  )

  app.get(
    '/suggest',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'suggestProducts',
        summary: 'Completions of what is being typed',
        description:
          'Words, categories, brands and products; also of what was typed in the other keyboard layout.',
        querystring: SuggestQuery,
        response: { 200: ref(Suggestions) },
      },
    },
    async (request, reply) => reply.json(await suggest(deps, request.query)),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        operationId: 'getProduct',
        summary: 'A product card',
        description: 'What the page of a product shows. An inactive one is a 404 to the public.',
        params: IdParams,
        response: { 200: ref(ProductCard) },
      },
    },
    async (request, reply) => reply.json(await getProduct(deps, request.params.id, isByStaff(request))),
  )

  app.get(
    '/:id/attributes',
    {
      config,
      schema: {
        operationId: 'listProductAttributes',
        summary: "A product's attributes",
        description: "The supplier's and staff's, as the card has them.",
        params: IdParams,
        response: { 200: Type.Array(ref(ProductAttribute), { description: 'The attributes' }) },
      },
    },
    async (request, reply) =>
      reply.json(await getProductAttributes(deps, request.params.id, isByStaff(request))),
  )
}
