import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CsvFile } from '../../src/schemas/exports.ts'
import { ProductExportQuery } from '../../src/schemas/products.ts'
import { exportProducts } from '../../src/services/catalogue/product-export.ts'

/** Contract section 5, "Exports". */
export const adminProductRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/export', {
    config: { access: 'ADMIN', mayTakeLong: true },
    schema: {
      operationId: 'exportProducts',
      summary: 'Export products as CSV',
      description: 'Filters and sort of the list, with all products that staff see; without descriptions.',
      querystring: ProductExportQuery,
      response: { 200: CsvFile },
    },
    handler: async (request, reply) => reply.csv(await exportProducts(app.deps, request.query)),
  })
}
