import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, refuseRejectedToken, userOf } from '../plugins/auth.ts'
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
        summary: 'Place an order',
        description:
          'Anonymous without a token; an invalid one is a 401. Prices are the current ones, and the quantities are reserved. Requests with an `Idempotency-Key` can be repeated safely.',
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
        summary: "List the caller's orders",
        description: 'Sorted by creation, newest first, by default.',
        querystring: OrderPageQuery,
        response: { 200: ref(OrderPage) },
      },
    },
    async (request) => listMyOrders(deps, userOf(request), request.query),
  )

  app.get(
    '/:id',
    {
      config: { access: 'user' },
      schema: {
        operationId: 'getOrder',
        summary: 'Get an order',
        description: 'Only for its owner and staff; a 404 for everyone else.',
        params: IdParams,
        response: { 200: ref(Order) },
      },
    },
    async (request) => getOrder(deps, callerOf(request), request.params.id),
  )
}
