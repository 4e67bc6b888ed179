import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, IdParams, ref } from '../../src/schemas/common.ts'
import { Order } from '../../src/schemas/orders.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'

/** Specification, "Orders (staff)": what sends an order to the supplier. */
export const orderSubmissionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/:id/submit',
    {
      config: { access: 'MANAGER' },
      schema: {
        tags: ['orders'],
        operationId: 'submitOrder',
        summary: 'Send the order to the supplier; the status of the answer says SENT or ERROR',
        params: IdParams,
        response: { 200: ref(Order), 404: Failure, 409: Failure },
      },
    },
    async (request) => submitOrder(deps, callerOf(request), request.params.id),
  )
}
