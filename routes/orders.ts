import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf, refuseRejectedToken, userOf } from '../plugins/auth.ts'
import { perAddress } from '../plugins/limits.ts'
import { closeSignal } from '../plugins/responses.ts'
import { ForCaller, IdParams, ref } from '../src/schemas/common.ts'
import { Conflict, Unauthorized } from '../src/schemas/errors.ts'
import * as wire from '../src/schemas/orders.ts'
import { getOrder, listMyOrders } from '../src/services/orders/orders.ts'
import { checkNewOrder, placeOrder } from '../src/services/orders/place.ts'
import { cancelOwnOrder, cancelTrackedOrder, trackOrder } from '../src/services/orders/tracking.ts'

const MINUTE_MS = 60_000

/** See docs/orders.md. */
export const orderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/', {
    schema: {
      operationId: 'placeOrder',
      summary: 'Place an order',
      description:
        'Anonymous without a token; an invalid one is a 401. Current prices apply, and the quantities are reserved. Requests with an `Idempotency-Key` can be repeated safely; without one, a request that ended with a 503 may have placed an order.',
      headers: wire.OrderHeaders,
      body: ref(wire.NewOrder),
      response: {
        201: ForCaller(wire.PlacedOrder, wire.StaffPlacedOrder),
        401: ref(Unauthorized),
        409: Conflict('PRODUCT_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'),
      },
    },
    config: {
      access: 'public',
      optionalToken: true,
      rateLimit: perAddress('orders', deps.config.rateLimits.orders, MINUTE_MS),
      check: (body, _params, caller) => checkNewOrder(deps, body, caller),
    },
    onRequest: refuseRejectedToken,
    handler: async (request, reply) => {
      const { caller, clientAddress: address, body, headers } = request
      const customer = { caller, customerId: caller?.id ?? null, address, signal: closeSignal(request, reply) }
      return reply.code(201).json(await placeOrder(deps, customer, body, headers['idempotency-key']))
    },
  })

  app.get('/my', {
    schema: {
      operationId: 'listMyOrders',
      summary: "List the caller's orders",
      querystring: wire.OrderPageQuery,
      response: {
        200: {
          ...ForCaller(wire.OrderPage, wire.StaffOrderPage),
          description: 'A page of orders; to staff the second form',
        },
      },
    },
    config: { access: 'user' },
    handler: async (request, reply) => reply.json(await listMyOrders(deps, userOf(request), request.query)),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getOrder',
      summary: 'Get an order',
      description: 'Only for its owner and staff; a 404 for everyone else.',
      params: IdParams,
      response: { 200: ForCaller(wire.Order, wire.StaffOrder) },
    },
    config: { access: 'user' },
    handler: async (request, reply) => reply.json(await getOrder(deps, callerOf(request), request.params.id)),
  })

  app.post('/:id/cancel', {
    schema: {
      operationId: 'cancelOrder',
      summary: "Cancel the caller's order",
      description: 'Only while it is NEW and not being submitted. Releases its reservations.',
      params: IdParams,
      response: { 200: ForCaller(wire.Order, wire.StaffOrder), 409: Conflict('ORDER_NOT_CANCELLABLE') },
    },
    config: { access: 'user' },
    handler: async (request, reply) => reply.json(await cancelOwnOrder(deps, userOf(request), request.params.id)),
  })

  app.get('/track/:trackingToken', {
    schema: {
      operationId: 'trackOrder',
      summary: 'Get an order by its link',
      description: 'With the `trackingToken` of the placed order; no account is needed.',
      params: wire.TrackingParams,
      response: { 200: ref(wire.TrackedOrder) },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return trackOrder(deps, request.params.trackingToken)
    },
  })

  app.post('/track/:trackingToken/cancel', {
    schema: {
      operationId: 'cancelTrackedOrder',
      summary: 'Cancel an order by its link',
      description: 'Under the same conditions as for its owner.',
      params: wire.TrackingParams,
      response: { 200: ref(wire.TrackedOrder), 409: Conflict('ORDER_NOT_CANCELLABLE') },
    },
    config: { access: 'public' },
    handler: async (request) => cancelTrackedOrder(deps, request.params.trackingToken),
  })
}
