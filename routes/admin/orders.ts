import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { Failure, IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import {
  BulkDeleted,
  BulkDeletePreview,
  BulkDeleteQuery,
  DeliveryCost,
  Order,
  OrderChange,
  OrderDetails,
  OrderItemParams,
  OrderLine,
  OrderPage,
  OrderQuery,
} from '../../src/schemas/orders.ts'
import { bulkDeleteOrders, previewBulkDelete } from '../../src/services/orders/bulk-delete.ts'
import { changeOrder, deleteOrder, setDeliveryCost } from '../../src/services/orders/changes.ts'
import { addItem, removeItem } from '../../src/services/orders/items.ts'
import { getOrderDetails, listOrders } from '../../src/services/orders/orders.ts'
import { submitOrder } from '../../src/services/orders/submit.ts'

const tags = ['orders (staff)']
const manager = { access: 'MANAGER' } as const
const admin = { access: 'ADMIN' } as const

/** Specification, "Orders (staff)"; contract section 5. */
export const adminOrderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'listOrders',
        summary: 'Orders, the newest first unless sorted otherwise',
        querystring: OrderQuery,
        response: { 200: OrderPage },
      },
    },
    async (request) => listOrders(deps, request.query),
  )

  app.get(
    '/:id',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'getOrderDetails',
        summary: 'An order with its history and the attempts to submit it',
        params: IdParams,
        response: { 200: ref(OrderDetails), 404: Failure },
      },
    },
    async (request) => getOrderDetails(deps, request.params.id),
  )

  app.patch(
    '/:id',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'changeOrder',
        summary: "Set the state, the staff's comment, or both",
        params: IdParams,
        body: OrderChange,
        response: { 200: ref(Order), 404: Failure, 409: Failure },
      },
    },
    async (request) => changeOrder(deps, callerOf(request), request.params.id, request.body),
  )

  app.post(
    '/:id/items',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'addOrderItem',
        summary: "Add a product at today's price",
        params: IdParams,
        body: OrderLine,
        response: { 201: ref(Order), 404: Failure, 409: Failure },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await addItem(deps, callerOf(request), request.params.id, request.body)),
  )

  app.delete(
    '/:id/items/:itemId',
    {
      config: admin,
      schema: {
        tags,
        operationId: 'removeOrderItem',
        summary: 'Remove an item; the last one stays',
        params: OrderItemParams,
        response: { 204: NoContent, 404: Failure, 409: Failure },
      },
    },
    async (request, reply) => {
      await removeItem(deps, callerOf(request), request.params.id, request.params.itemId)
      return reply.code(204).send(null)
    },
  )

  app.patch(
    '/:id/delivery-cost',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'setDeliveryCost',
        summary: 'Set what delivery costs; the total follows',
        params: IdParams,
        body: DeliveryCost,
        response: { 200: ref(Order), 404: Failure, 409: Failure },
      },
    },
    async (request) => setDeliveryCost(deps, callerOf(request), request.params.id, request.body.deliveryCost),
  )

  app.post(
    '/:id/submit',
    {
      config: manager,
      schema: {
        tags,
        operationId: 'submitOrder',
        summary: 'Send the order to the supplier; the status of the answer says SENT or ERROR',
        params: IdParams,
        response: { 200: ref(Order), 404: Failure, 409: Failure },
      },
    },
    async (request) => submitOrder(deps, callerOf(request), request.params.id),
  )

  app.delete(
    '/:id',
    {
      config: admin,
      schema: {
        tags,
        operationId: 'deleteOrder',
        summary: 'Delete an order for good',
        params: IdParams,
        response: { 204: NoContent, 404: Failure, 409: Failure },
      },
    },
    async (request, reply) => {
      await deleteOrder(deps, callerOf(request), request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/bulk-delete/preview',
    {
      config: admin,
      schema: {
        tags,
        operationId: 'previewBulkDelete',
        summary: 'How many old orders a bulk delete would delete',
        querystring: BulkDeleteQuery,
        response: { 200: BulkDeletePreview },
      },
    },
    async (request) => previewBulkDelete(deps, request.query),
  )

  app.delete(
    '/bulk-delete',
    {
      config: admin,
      schema: {
        tags,
        operationId: 'bulkDeleteOrders',
        summary: 'Delete orders placed more than so many days ago; those being submitted stay',
        querystring: BulkDeleteQuery,
        response: { 200: BulkDeleted },
      },
    },
    async (request) => bulkDeleteOrders(deps, callerOf(request), request.query),
  )
}
