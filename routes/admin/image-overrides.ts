import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { ImageOverride, ImageOverrideInput, ImageOverrideQuery } from '../../src/schemas/image-overrides.ts'
import {
  checkImageOverride,
  IMAGE_OVERRIDES,
  listImageOverrides,
} from '../../src/services/pipeline/image-overrides.ts'
import { createRecord, deleteRecord, updateRecord } from '../../src/services/records.ts'
import { recordOperations } from '../record-operations.ts'
import { targetOf } from '../targets.ts'

const operations = recordOperations({
  access: 'ADMIN',
  id: 'ImageOverride',
  name: 'image override',
  record: ImageOverride,
  input: ImageOverrideInput,
  check: checkImageOverride,
  notes: {
    list: "By id. An override replaces the images of the product's page, or adds to them.",
    create: "Takes effect when the product's images are fetched next.",
    update: "Takes effect when the product's images are fetched next.",
    delete: 'Images already fetched stay.',
  },
  conflicts: { create: 'PRODUCT_OVERRIDDEN', update: 'PRODUCT_OVERRIDDEN' },
})

/** Contract section 9. */
export const imageOverrideRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  const list = { ...operations.list.schema, querystring: ImageOverrideQuery }

  app.get('/', {
    ...operations.list,
    schema: list,
    handler: async (request) => listImageOverrides(deps, request.query.productId),
  })
  app.post('/', operations.create, async (request) =>
    createRecord(deps, IMAGE_OVERRIDES, callerOf(request), request.body),
  )
  app.put('/:id', operations.update, async (request) =>
    updateRecord(deps, IMAGE_OVERRIDES, callerOf(request), targetOf(request), request.body),
  )
  app.delete('/:id', operations.delete, async (request) =>
    deleteRecord(deps, IMAGE_OVERRIDES, callerOf(request), targetOf(request)),
  )
}
