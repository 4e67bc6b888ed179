import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import { BulkEdit, BulkEdited, BulkEditQuery } from '../src/schemas/product-bulk.ts'
import { NewProduct, ProductPatch, ProductReplacement } from '../src/schemas/product-editing.ts'
import { ProductCard } from '../src/schemas/products.ts'
import { editProducts } from '../src/services/catalogue/product-bulk.ts'
import {
  createProduct,
  deleteProduct,
  patchProduct,
  replaceProduct,
} from '../src/services/catalogue/product-editing.ts'
import { targetOf } from './targets.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Product and category editing"; contract section 4. */
export const productEditingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createProduct',
        summary: 'Add a product',
        description:
          'Made by hand, or with `externalId` one of the supplier’s, which brings back a deleted one: the next sync fills in what he says of it.',
        body: ref(NewProduct),
        response: { 201: ref(ProductCard), 409: Conflict('EXTERNAL_ID_TAKEN') },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await createProduct(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'replaceProduct',
        summary: 'Change a product',
        description:
          'Absent fields stay. What really changes of a supplier’s product is no longer his; price and stock always are. With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ProductReplacement),
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => replaceProduct(deps, callerOf(request), targetOf(request), request.body),
  )

  app.patch(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateProduct',
        summary: 'Change some fields of a product',
        description:
          'An empty metaTitle or metaDescription, or its flag, returns to the template; `clearOverrides` gives fields back to the supplier. With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ProductPatch),
        response: { 200: ref(ProductCard), 412: Failure },
      },
    },
    async (request) => patchProduct(deps, callerOf(request), targetOf(request), request.body),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteProduct',
        summary: 'Delete a product',
        description:
          'Orders keep their lines. One of the supplier’s stays deleted whatever he lists. With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteProduct(deps, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )

  app.patch(
    '/',
    {
      config,
      schema: {
        operationId: 'updateProducts',
        summary: 'Change many products in one go',
        description:
          'All or nothing: where `errors` names products, none was changed. At most 10 000. With `dryRun` nothing is changed at all.',
        querystring: BulkEditQuery,
        body: ref(BulkEdit),
        response: { 200: ref(BulkEdited), 409: Conflict('TOO_MANY_PRODUCTS') },
      },
    },
    async (request) => editProducts(deps, callerOf(request), request.body, request.query.dryRun),
  )
}
