import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { ref } from '../src/schemas/common.ts'
import { FeatureItem, FeatureItemInput, PublicFeatureItem } from '../src/schemas/feature-items.ts'
import { checkFeature, FEATURE_ITEMS, listActiveFeatures } from '../src/services/content/feature-items.ts'
import { createRecord, deleteRecord, getRecord, listRecords, updateRecord } from '../src/services/records.ts'
import { recordOperations } from './record-operations.ts'
import { targetOf } from './targets.ts'

const operations = recordOperations({
  access: 'EDITOR',
  id: 'FeatureItem',
  name: 'feature',
  record: FeatureItem,
  input: FeatureItemInput,
  check: checkFeature,
  notes: { list: 'By display order, hidden ones included.' },
})

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveFeatureItems',
      summary: 'List the features to show',
      description: 'By display order.',
      response: { 200: Type.Array(ref(PublicFeatureItem), { description: 'The features' }) },
    },
    handler: async (_request, reply) => reply.cacheable(await listActiveFeatures(deps)),
  })
  app.get('/', operations.list, async () => listRecords(deps, FEATURE_ITEMS))
  app.get('/:id', operations.get, async ({ params }) => getRecord(deps, FEATURE_ITEMS, params.id))
  app.post('/', operations.create, async (request) =>
    createRecord(deps, FEATURE_ITEMS, callerOf(request), request.body),
  )
  app.put('/:id', operations.update, async (request) =>
    updateRecord(deps, FEATURE_ITEMS, callerOf(request), targetOf(request), request.body),
  )
  app.delete('/:id', operations.delete, async (request) =>
    deleteRecord(deps, FEATURE_ITEMS, callerOf(request), targetOf(request)),
  )
}
