import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, ref } from '../../src/schemas/common.ts'
import { DeletedProduct, DeletedProductParams } from '../../src/schemas/deleted-products.ts'
import { listDeletedProducts, restoreDeletedProduct } from '../../src/services/catalogue/deleted-products.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 11, "Repairs without SQL". */
export const deletedProductRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listDeletedProducts',
      summary: "List the supplier's products that staff deleted",
      description: 'The newest 1000 deletions; the sync leaves these products out.',
      response: { 200: List(DeletedProduct, 'The products') },
    },
    handler: async () => listDeletedProducts(deps),
  })

  app.post('/:externalId/restore', {
    config,
    schema: {
      operationId: 'restoreDeletedProduct',
      summary: 'Let the sync bring a product back',
      description: 'The next run reads all products.',
      params: DeletedProductParams,
      response: { 200: ref(DeletedProduct) },
    },
    handler: async (request) => restoreDeletedProduct(deps, callerOf(request), request.params.externalId),
  })
}
