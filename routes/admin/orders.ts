import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict, Failure } from '../../src/schemas/errors.ts'
import { OrderDetails } from '../../src/schemas/order-details.ts'
import {
  BulkDeleted,
  BulkDeletePreview,
  BulkDeleteQuery,
  DeliveryCost,
  Order,
  OrderChange,
  OrderItemParams,
  OrderLine,
  OrderPage,
  OrderQuery,
} from '../../src/schemas/orders.ts'
import { bulkDeleteOrders, previewBulkDelete } from '../../src/services/orders/bulk-delete.ts'
import { deleteOrder, setDeliveryCost, updateOrder } from '../../src/services/orders/editing.ts'
import { addItem, removeItem } from '../../src/services/orders/items.ts'
import { getOrderDetails, listOrders } from '../../src/services/orders/orders.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'
import { targetOf } from '../targets.ts'

const manager = { access: 'MANAGER' } as const
const admin = { access: 'ADMIN' } as const

/** Specification, "Orders (staff)"; contract section 5. With `If-Match`, only what nobody else changed meanwhile. */
export const adminOrderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config: manager,
      schema: {
        operationId: 'listOrders',
        summary: 'Orders, the newest first unless sorted otherwise',
        description: 'Filtered by state and day, searched by number, name, phone and email.',
        querystring: OrderQuery,
        response: { 200: ref(OrderPage) },
      },
    },
    async (request) => listOrders(deps, request.query),
  )

  app.get(
    '/:id',
    {
      config: manager,
      schema: {
        operationId: 'getOrderDetails',
        summary: 'An order with its history and the attempts to submit it',
        description: 'Who changed its state and when, and what the supplier said.',
        params: IdParams,
        response: { 200: ref(OrderDetails) },
      },
    },
    async (request) => getOrderDetails(deps, request.params.id),
  )

  app.patch(
    '/:id',
    {
      config: manager,
      schema: {
        operationId: 'updateOrder',
        summary: "Set the state, the staff's comment, or both",
        description: 'Any state may follow any other. One that holds quantities again must find them.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(OrderChange),
        response: {
          200: ref(Order),
          409: Conflict('ORDER_SUBMITTING', 'PRODUCT_UNAVAILABLE'),
          412: Failure,
        },
      },
    },
    async (request) => updateOrder(deps, callerOf(request), targetOf(request), request.body),
  )

  app.post(
    '/:id/items',
    {
      config: manager,
      schema: {
        operationId: 'addOrderItem',
        summary: "Add a product at today's price",
        description: 'While the order is open and the supplier certainly does not have it.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(OrderLine),
        response: {
          201: ref(Order),
          409: Conflict(
            'ORDER_NOT_EDITABLE',
            'ORDER_SUBMITTING',
            'SUBMIT_UNCLEAR',
            'TOO_MANY_ITEMS',
            'PRODUCT_UNAVAILABLE',
          ),
          412: Failure,
        },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await addItem(deps, callerOf(request), targetOf(request), request.body)),
  )

  app.delete(
    '/:id/items/:itemId',
    {
      config: admin,
      schema: {
        operationId: 'removeOrderItem',
        summary: 'Remove an item; the last one stays',
        description: 'While the order is open and the supplier certainly does not have it.',
        params: OrderItemParams,
        headers: VersionHeaders,
        response: {
          204: NoContent,
          409: Conflict('ORDER_NOT_EDITABLE', 'ORDER_SUBMITTING', 'SUBMIT_UNCLEAR', 'LAST_ITEM'),
          412: Failure,
        },
      },
    },
    async (request, reply) => {
      await removeItem(deps, callerOf(request), targetOf(request), request.params.itemId)
      return reply.code(204).send(null)
    },
  )

  app.patch(
    '/:id/delivery-cost',
    {
      config: manager,
      schema: {
        operationId: 'setDeliveryCost',
        summary: 'Set what delivery costs; the total follows',
        description: 'In any state of the order.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(DeliveryCost),
        response: { 200: ref(Order), 409: Conflict('ORDER_SUBMITTING'), 412: Failure },
      },
    },
    async (request) => setDeliveryCost(deps, callerOf(request), targetOf(request), request.body.deliveryCost),
  )

  app.post(
    '/:id/submit',
    {
      config: manager,
      schema: {
        operationId: 'submitOrder',
        summary: 'Send the order to the supplier; the status of the answer says SENT or ERROR',
        description:
          'A repeat is harmless: the supplier knows the order by its id. `submitError` of the answer says why he did not take it.',
        params: IdParams,
        headers: VersionHeaders,
        response: {
          200: ref(Order),
          409: Conflict(
            'ORDER_SUBMITTING',
            'ORDER_NOT_SUBMITTABLE',
            'NOT_A_SUPPLIER_PRODUCT',
            'PRODUCT_UNAVAILABLE',
          ),
          412: Failure,
        },
      },
    },
    async (request) => submitOrder(deps, callerOf(request), targetOf(request)),
  )

  app.delete(
    '/:id',
    {
      config: admin,
      schema: {
        operationId: 'deleteOrder',
        summary: 'Delete an order for good',
        description: 'With all that belongs to it.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 409: Conflict('ORDER_SUBMITTING'), 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteOrder(deps, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/bulk-delete/preview',
    {
      config: admin,
      schema: {
        operationId: 'previewBulkDelete',
        summary: 'How many old orders a bulk delete would delete',
        description: 'Nothing is deleted.',
        querystring: BulkDeleteQuery,
        response: { 200: ref(BulkDeletePreview) },
      },
    },
    async (request) => previewBulkDelete(deps, request.query),
  )

  app.delete(
    '/bulk-delete',
    {
      config: admin,
      schema: {
        operationId: 'bulkDeleteOrders',
        summary: 'Delete orders placed more than so many days ago; those being submitted stay',
        description: 'For good, with all that belongs to them.',
        querystring: BulkDeleteQuery,
        response: { 200: ref(BulkDeleted) },
      },
    },
    async (request) => bulkDeleteOrders(deps, callerOf(request), request.query),
  )
}
