import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, refuseRejectedToken } from '../plugins/auth.ts'
import { perAddress } from '../plugins/rate-limit.ts'
import { IdParams, ref } from '../src/schemas/common.ts'
import { Conflict, Failure, Unauthorized } from '../src/schemas/errors.ts'
import { NewOrder, Order, OrderHeaders, OrderPage, OrderPageQuery } from '../src/schemas/orders.ts'
import { getOrder, listMyOrders } from '../src/services/orders/orders.ts'
import { placeOrder } from '../src/services/orders/place.ts'
import { closeSignal } from './close-signal.ts'

const MINUTE_MS = 60_000

/** Specification, "Orders (customer)"; contract section 5. */
export const orderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/',
    {
      config: {
        access: 'public',
        optionalToken: true,
        rateLimit: perAddress('orders', deps.config.rateLimits.orders, MINUTE_MS),
      },
      onRequest: refuseRejectedToken,
      schema: {
        operationId: 'placeOrder',
        summary: 'Place an order; with a token it is the order of that user',
        description:
          'Prices come from the shop, never from the request, and the quantities are held at once. A token that is not valid is a 401, so that no order becomes anonymous unnoticed. With an `Idempotency-Key` a repeat is harmless.',
        headers: OrderHeaders,
        body: ref(NewOrder),
        response: {
          201: ref(Order),
          401: ref(Unauthorized),
          409: Conflict('PRODUCT_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'),
          429: Failure,
        },
      },
    },
    async (request, reply) => {
      const { caller, ip: address, body, headers } = request
      const customer = { caller, address, signal: closeSignal(request, reply) }
      return reply.code(201).send(await placeOrder(deps, customer, body, headers['idempotency-key']))
    },
  )

  app.get(
    '/my',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'listMyOrders',
        summary: "The caller's orders",
        description: 'The newest first unless sorted otherwise.',
        querystring: OrderPageQuery,
        response: { 200: ref(OrderPage) },
      },
    },
    async (request) => listMyOrders(deps, callerOf(request), request.query),
  )

  app.get(
    '/:id',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'getOrder',
        summary: 'An order, for its owner and for staff',
        description: 'Anybody else gets a 404, as if it did not exist.',
        params: IdParams,
        response: { 200: ref(Order) },
      },
    },
    async (request) => getOrder(deps, callerOf(request), request.params.id),
  )
}
