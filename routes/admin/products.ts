import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CsvFile } from '../../src/schemas/lists.ts'
import { ProductExportQuery } from '../../src/schemas/products.ts'
import { exportProducts } from '../../src/services/catalogue/products.ts'

/** See docs/orders.md. */
export const adminProductRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/export', {
    schema: {
      operationId: 'exportProducts',
      summary: 'Export products as CSV',
      description: 'Filters and sort of the list, with all products that staff see; without descriptions.',
      querystring: ProductExportQuery,
      response: { 200: CsvFile },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request, reply) => reply.csv(await exportProducts(deps, request.query)),
  })
}
