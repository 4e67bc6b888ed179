import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { DeletedProduct, DeletedProductParams } from '../../src/schemas/product-editing.ts'
import { listDeletedProducts, restoreDeletedProduct } from '../../src/services/catalogue/product-editing.ts'

/** See docs/operations.md. */
export const deletedProductRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listDeletedProducts',
      summary: "List the supplier's products that staff deleted",
      description: 'The newest 1000 deletions; the sync leaves these products out.',
      response: { 200: List(DeletedProduct, 'The products') },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async () => listDeletedProducts(deps),
  })

  app.post('/:externalId/restore', {
    schema: {
      operationId: 'restoreDeletedProduct',
      summary: 'Let the sync bring a product back',
      description: 'The next run reads all products.',
      params: DeletedProductParams,
      response: { 200: ref(DeletedProduct) },
    },
    config: { access: 'ADMIN', permission: 'products' },
    handler: async (request) => restoreDeletedProduct(deps, callerOf(request), request.params.externalId),
  })
}
