import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { NoContent, ref } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import { BulkEdit, BulkEdited, BulkEditQuery } from '../src/schemas/product-bulk.ts'
import { NewProduct, ProductPatch, ProductReplacement } from '../src/schemas/product-editing.ts'
import { ProductCard } from '../src/schemas/products.ts'
import { editProducts } from '../src/services/catalogue/product-bulk.ts'
import {
  checkProduct,
  createProduct,
  deleteProduct,
  patchProduct,
  replaceProduct,
} from '../src/services/catalogue/product-editing.ts'
import { targetOf, VERSIONED } from './targets.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Product and category editing"; contract section 4. */
export const productEditingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/', {
    config: { ...config, check: checkProduct },
    schema: {
      operationId: 'createProduct',
      summary: 'Create a product',
      description:
        'With `externalId` it is the supplier’s product, also one that was deleted here: the next sync fills in the rest.',
      body: ref(NewProduct),
      response: { 201: ref(ProductCard), 409: Conflict('EXTERNAL_ID_TAKEN') },
    },
    handler: async (request) => createProduct(deps, callerOf(request), request.body),
  })

  app.put('/:id', {
    config: { ...config, check: checkProduct },
    schema: {
      ...VERSIONED,
      operationId: 'replaceProduct',
      summary: 'Update a product',
      description:
        'Absent fields stay as they are. Changed fields of a supplier’s product become overrides; its price and stock can not be changed.',
      body: ref(ProductReplacement),
      response: { 200: ref(ProductCard) },
    },
    handler: async (request) => replaceProduct(deps, callerOf(request), targetOf(request), request.body),
  })

  app.patch('/:id', {
    config: { ...config, check: checkProduct },
    schema: {
      ...VERSIONED,
      operationId: 'updateProduct',
      summary: 'Update some fields of a product',
      description:
        'An empty metaTitle or metaDescription, or its flag, restores the template; `clearOverrides` restores the supplier’s values.',
      body: ref(ProductPatch),
      response: { 200: ref(ProductCard) },
    },
    handler: async (request) => patchProduct(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'deleteProduct',
      summary: 'Delete a product',
      description: 'Orders keep their lines. The sync does not bring a supplier’s product back.',
      response: { 204: NoContent },
    },
    handler: async (request) => deleteProduct(deps, callerOf(request), targetOf(request)),
  })

  app.patch('/', {
    config,
    schema: {
      operationId: 'updateProducts',
      summary: 'Update many products',
      description: 'All or nothing, at most 10 000: if `errors` names any product, none was changed.',
      querystring: BulkEditQuery,
      body: ref(BulkEdit),
      response: { 200: ref(BulkEdited), 409: Conflict('TOO_MANY_PRODUCTS') },
    },
    handler: async (request) => {
      const how = { ...request.query, language: request.language }
      return editProducts(deps, callerOf(request), request.body, how)
    },
  })
}
