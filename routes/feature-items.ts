import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { List } from '../src/schemas/common.ts'
import { FeatureItem, FeatureItemInput, PublicFeatureItem } from '../src/schemas/feature-items.ts'
import { checkFeature, FEATURE_ITEMS, listActiveFeatures } from '../src/services/content/feature-items.ts'
import { getRecord, listRecords, recordUseCases } from '../src/services/records.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveFeatureItems',
      summary: 'List the features to show',
      description: 'By display order.',
      response: { 200: List(PublicFeatureItem, 'The features') },
    },
    handler: async (_request, reply) => reply.cacheable(await listActiveFeatures(deps)),
  })
  recordRoutes(app, {
    access: 'EDITOR',
    id: 'FeatureItem',
    name: 'feature',
    record: FeatureItem,
    input: FeatureItemInput,
    check: checkFeature,
    notes: { list: 'By display order, hidden ones included.' },
    list: (of) => listRecords(of, FEATURE_ITEMS),
    get: (of, id) => getRecord(of, FEATURE_ITEMS, id),
    ...recordUseCases(FEATURE_ITEMS),
  })
}
