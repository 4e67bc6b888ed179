import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Cart, CartLines, CartQuery } from '../src/schemas/cart.ts'
import { ref } from '../src/schemas/common.ts'
import { validateCart } from '../src/services/catalogue/cart.ts'

/** See docs/catalogue.md. */
export const cartRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/validate', {
    schema: {
      operationId: 'validateCart',
      summary: 'Validate a cart',
      description:
        'Prices the lines and checks their availability without reserving anything. An unknown product is an unavailable line, not an error.',
      querystring: CartQuery,
      body: ref(CartLines),
      response: { 200: ref(Cart) },
    },
    config: { access: 'public' },
    handler: async (request) => validateCart(deps, request.body, request.query),
  })
}
