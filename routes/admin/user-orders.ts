import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure, IdParams } from '../../src/schemas/common.ts'
import { OrderPage, OrderPageQuery } from '../../src/schemas/orders.ts'
import { listUserOrders } from '../../src/services/orders/orders.ts'

/** Specification, "Users and contacts (staff)": the order history of a user. */
export const userOrderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/:id/orders',
    {
      config: { access: 'ADMIN' },
      schema: {
        tags: ['users'],
        operationId: 'listUserOrders',
        summary: 'The orders of a user, the newest first',
        params: IdParams,
        querystring: OrderPageQuery,
        response: { 200: OrderPage, 404: Failure },
      },
    },
    async (request) => listUserOrders(deps, request.params.id, request.query),
  )
}
