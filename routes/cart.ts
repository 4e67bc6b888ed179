import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Cart, CartLines } from '../src/schemas/cart.ts'
import { ref } from '../src/schemas/common.ts'
import { validateCart } from '../src/services/catalogue/cart.ts'

/** Contract section 5, "Cart". */
export const cartRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/validate',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'validateCart',
        summary: 'What the lines cost now and whether they could be ordered',
        description:
          'Nothing is held or stored. The lines come back in the order asked; a product that does not exist is a line that can not be ordered, not an error.',
        body: ref(CartLines),
        response: { 200: ref(Cart) },
      },
    },
    async (request) => validateCart(deps, request.body),
  )
}
