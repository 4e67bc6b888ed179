import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { closeSignal } from '../../plugins/responses.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import { OrderSeries, OrderSeriesQuery, OrderSummary } from '../../src/schemas/dashboard.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { CsvFile } from '../../src/schemas/lists.ts'
import * as edit from '../../src/schemas/order-editing.ts'
import * as wire from '../../src/schemas/orders.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import { getOrderSeries, getOrderSummary } from '../../src/services/operations/dashboard.ts'
import * as editing from '../../src/services/orders/editing.ts'
import { addItem, removeItem, setQuantity } from '../../src/services/orders/items.ts'
import { exportOrders, getOrderDetails, listOrders } from '../../src/services/orders/orders.ts'
import { placeOrder } from '../../src/services/orders/place.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'

const item = { params: edit.OrderItemParams, headers: VersionHeaders }

/** Why the items of an order can't be changed. */
const FIXED_ITEMS = ['ORDER_NOT_EDITABLE', 'ORDER_SUBMITTING', 'SUBMIT_UNCLEAR'] as const

/** See docs/orders.md. */
export const adminOrderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listOrders',
      summary: 'List orders',
      querystring: wire.OrderQuery,
      response: { 200: wire.StaffOrderPage },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => listOrders(deps, request.query),
  })

  app.post('/', {
    schema: {
      operationId: 'placeOrderForCustomer',
      summary: 'Place an order for a customer',
      description: 'As the customer would; its history names the caller. Not limited.',
      headers: wire.OrderHeaders,
      body: ref(wire.NewOrderForCustomer),
      response: {
        201: ref(wire.StaffPlacedOrder),
        409: Conflict('PRODUCT_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'),
      },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request, reply) => {
      const { clientAddress: address, body, headers } = request
      const { customerId = null, ...order } = body
      const staff = { caller: callerOf(request), customerId, address, signal: closeSignal(request, reply) }
      return reply.code(201).json(await placeOrder(deps, staff, order, headers['idempotency-key']))
    },
  })

  app.get('/summary', {
    schema: {
      operationId: 'getOrderSummary',
      summary: "Get the figures of a manager's start page",
      description: 'Filters of the list; a total for each status.',
      querystring: wire.OrderFilters,
      response: { 200: ref(OrderSummary) },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => getOrderSummary(deps, request.query),
  })

  app.get('/series', {
    schema: {
      operationId: 'getOrderSeries',
      summary: 'Get orders and revenue by day',
      description: "Days of the shop's calendar up to today, those without orders included.",
      querystring: OrderSeriesQuery,
      response: { 200: OrderSeries },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => getOrderSeries(deps, request.query.days),
  })

  app.get('/export', {
    schema: {
      operationId: 'exportOrders',
      summary: 'Export orders as CSV',
      description: 'Filters and sort of the list; one line per item, with the data of its order.',
      querystring: wire.OrderExportQuery,
      response: { 200: CsvFile },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request, reply) => reply.csv(await exportOrders(deps, request.query)),
  })

  app.post('/bulk-status', {
    schema: {
      operationId: 'setOrderStatuses',
      summary: 'Set the status of several orders',
      description: 'Each order is changed on its own; those that cannot be are listed with the reason.',
      body: ref(edit.BulkStatus),
      response: { 200: ref(edit.BulkStatusResult) },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => editing.setStatuses(deps, callerOf(request), request.body, request.language),
  })

  app.get('/bulk-delete/preview', {
    schema: {
      operationId: 'previewBulkDelete',
      summary: 'Preview a bulk delete',
      querystring: edit.BulkDeleteQuery,
      response: { 200: ref(edit.BulkDeletePreview) },
    },
    config: { access: 'ADMIN', permission: 'orders.delete' },
    handler: async (request) => editing.previewBulkDelete(deps, request.query),
  })

  app.delete('/bulk-delete', {
    schema: {
      operationId: 'bulkDeleteOrders',
      summary: 'Delete old orders',
      description: 'Orders being submitted are not deleted.',
      querystring: edit.BulkDeleteQuery,
      response: { 200: ref(edit.BulkDeleted) },
    },
    config: { access: 'ADMIN', permission: 'orders.delete' },
    handler: async (request) => editing.bulkDeleteOrders(deps, callerOf(request), request.query),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getOrderDetails',
      summary: 'Get an order with its history and submit attempts',
      params: IdParams,
      response: { 200: ref(wire.OrderDetails) },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => getOrderDetails(deps, request.params.id),
  })

  app.patch('/:id', {
    schema: {
      operationId: 'updateOrder',
      summary: "Update an order's status, comment, or customer data",
      description:
        'Any status may follow any other. Reopening an order reserves its items again, if the stock suffices.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(edit.OrderChange),
      response: { 200: ref(wire.StaffOrder), 409: Conflict('ORDER_SUBMITTING', 'PRODUCT_UNAVAILABLE') },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => editing.correctOrder(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/:id/items', {
    schema: {
      operationId: 'addOrderItem',
      summary: "Add an item at today's price",
      description: 'Allowed in NEW, PROCESSING and ERROR, unless the supplier may have received the order.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.OrderLine),
      response: { 201: ref(wire.StaffOrder), 409: Conflict(...FIXED_ITEMS, 'TOO_MANY_ITEMS', 'PRODUCT_UNAVAILABLE') },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request, reply) =>
      reply.code(201).send(await addItem(deps, callerOf(request), targetOf(request), request.body)),
  })

  app.patch('/:id/items/:itemId', {
    schema: {
      operationId: 'setOrderItemQuantity',
      summary: 'Set the quantity of an item',
      description:
        'The item keeps its price. Allowed in NEW, PROCESSING and ERROR, unless the supplier may have received the order.',
      ...item,
      body: ref(edit.ItemQuantity),
      response: { 200: ref(wire.StaffOrder), 409: Conflict(...FIXED_ITEMS, 'PRODUCT_UNAVAILABLE') },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => setQuantity(deps, callerOf(request), targetOf(request), request.body.quantity),
  })

  app.delete('/:id/items/:itemId', {
    schema: {
      operationId: 'removeOrderItem',
      summary: 'Remove an item',
      description: 'Allowed in NEW, PROCESSING and ERROR, unless the supplier may have received the order.',
      ...item,
      response: { 200: ref(wire.StaffOrder), 409: Conflict(...FIXED_ITEMS, 'LAST_ITEM') },
    },
    config: { access: 'ADMIN', permission: 'orders.delete' },
    handler: async (request) => removeItem(deps, callerOf(request), targetOf(request), request.params.itemId),
  })

  app.patch('/:id/delivery-cost', {
    schema: {
      operationId: 'setDeliveryCost',
      summary: 'Set the delivery cost',
      description: 'Allowed in any status. The total includes it.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(edit.DeliveryCost),
      response: { 200: ref(wire.StaffOrder), 409: Conflict('ORDER_SUBMITTING') },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) =>
      editing.setDeliveryCost(deps, callerOf(request), targetOf(request), request.body.deliveryCost),
  })

  app.post('/:id/submit', {
    schema: {
      operationId: 'submitOrder',
      summary: 'Submit an order to the supplier',
      description:
        'The order becomes SENT, or ERROR with the reason in `submitError`. Once the supplier has accepted it, the answer is the stored order, whatever its state, and the supplier is not asked again.',
      params: IdParams,
      headers: VersionHeaders,
      response: {
        200: ref(wire.StaffOrder),
        409: Conflict('ORDER_SUBMITTING', 'ORDER_NOT_SUBMITTABLE', 'NOT_A_SUPPLIER_PRODUCT', 'PRODUCT_UNAVAILABLE'),
      },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request) => submitOrder(deps, callerOf(request), targetOf(request)),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteOrder',
      summary: 'Delete an order',
      description: 'The history and submit attempts are deleted too.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent, 409: Conflict('ORDER_SUBMITTING') },
    },
    config: { access: 'ADMIN', permission: 'orders.delete' },
    handler: async (request, reply) => {
      await editing.deleteOrder(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
