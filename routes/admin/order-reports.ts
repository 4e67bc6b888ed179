import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { ref } from '../../src/schemas/common.ts'
import { CsvFile } from '../../src/schemas/lists.ts'
import { OrderSeries, OrderSeriesQuery, OrderSummary } from '../../src/schemas/operations.ts'
import {
  BulkDeleted,
  BulkDeletePreview,
  BulkDeleteQuery,
  BulkStatus,
  BulkStatusResult,
  OrderExportQuery,
} from '../../src/schemas/orders.ts'
import { getOrderSeries, getOrderSummary } from '../../src/services/operations/dashboard.ts'
import { bulkDeleteOrders, previewBulkDelete, setStatuses } from '../../src/services/orders/editing.ts'
import { exportOrders } from '../../src/services/orders/orders.ts'

const manager = { access: 'MANAGER' } as const
const admin = { access: 'ADMIN' } as const

/** Many orders at once: figures, exports and bulk operations (contract sections 5 and 7). */
export const orderReportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/summary', {
    config: manager,
    schema: {
      operationId: 'getOrderSummary',
      summary: "Get the figures of a manager's start page",
      response: { 200: ref(OrderSummary) },
    },
    handler: async () => getOrderSummary(deps),
  })

  app.get('/series', {
    config: manager,
    schema: {
      operationId: 'getOrderSeries',
      summary: 'Get orders and revenue by day',
      description: "Days of the shop's calendar up to today, those without orders included.",
      querystring: OrderSeriesQuery,
      response: { 200: OrderSeries },
    },
    handler: async (request) => getOrderSeries(deps, request.query.days),
  })

  app.get('/export', {
    config: { ...manager, mayTakeLong: true },
    schema: {
      operationId: 'exportOrders',
      summary: 'Export orders as CSV',
      description: 'Filters and sort of the list; one line per item, with the data of its order.',
      querystring: OrderExportQuery,
      response: { 200: CsvFile },
    },
    handler: async (request, reply) => reply.csv(await exportOrders(deps, request.query)),
  })

  app.post('/bulk-status', {
    config: manager,
    schema: {
      operationId: 'setOrderStatuses',
      summary: 'Set the status of several orders',
      description: 'Each order is changed on its own; those that cannot be are listed with the reason.',
      body: ref(BulkStatus),
      response: { 200: ref(BulkStatusResult) },
    },
    handler: async (request) => setStatuses(deps, callerOf(request), request.body, request.language),
  })

  app.get('/bulk-delete/preview', {
    config: admin,
    schema: {
      operationId: 'previewBulkDelete',
      summary: 'Preview a bulk delete',
      querystring: BulkDeleteQuery,
      response: { 200: ref(BulkDeletePreview) },
    },
    handler: async (request) => previewBulkDelete(deps, request.query),
  })

  app.delete('/bulk-delete', {
    config: admin,
    schema: {
      operationId: 'bulkDeleteOrders',
      summary: 'Delete old orders',
      description: 'Orders being submitted are not deleted.',
      querystring: BulkDeleteQuery,
      response: { 200: ref(BulkDeleted) },
    },
    handler: async (request) => bulkDeleteOrders(deps, callerOf(request), request.query),
  })
}
