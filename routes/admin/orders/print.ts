import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FileOf, IdParams } from '../../../src/schemas/common.ts'
import { PrintQuery } from '../../../src/schemas/orders.ts'
import { printOrder, SLIP_POLICY } from '../../../src/services/orders/print.ts'

/** See docs/orders.md. */
export const orderPrintRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/:id/print', {
    schema: {
      operationId: 'printOrder',
      summary: 'Print an order',
      description: 'A packing slip as a page for paper, with prices or without.',
      params: IdParams,
      querystring: PrintQuery,
      response: { 200: FileOf<string>('text/html', 'The packing slip') },
    },
    config: { access: 'MANAGER', permission: 'orders' },
    handler: async (request, reply) => {
      const html = await printOrder(deps, request.params.id, request.query)
      return reply.type('text/html; charset=utf-8').header('content-security-policy', SLIP_POLICY).send(html)
    },
  })
}
