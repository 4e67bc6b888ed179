import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { List } from '../src/schemas/common.ts'
import {
  BannerBlock,
  BannerBlockInput,
  FeatureItem,
  FeatureItemInput,
} from '../src/schemas/content-blocks.ts'
import {
  BANNER_BLOCKS,
  checkBanner,
  checkFeature,
  FEATURE_ITEMS,
  listActiveBanners,
  listActiveFeatures,
} from '../src/services/content/content-blocks.ts'
import { getRecord, listRecords, recordUseCases } from '../src/services/records.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveBannerBlocks',
      summary: 'List the banners to show now',
      description: 'By display order.',
      response: { 200: List(BannerBlock, 'The banners') },
    },
    handler: async (_request, reply) => reply.cacheable(await listActiveBanners(deps)),
  })
  recordRoutes(app, {
    access: 'EDITOR',
    id: 'BannerBlock',
    name: 'banner',
    record: BannerBlock,
    input: BannerBlockInput,
    check: checkBanner,
    notes: { list: 'By display order, hidden ones included.' },
    list: (of) => listRecords(of, BANNER_BLOCKS),
    get: (of, id) => getRecord(of, BANNER_BLOCKS, id),
    ...recordUseCases(BANNER_BLOCKS),
  })
}

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveFeatureItems',
      summary: 'List the features to show',
      description: 'By display order.',
      response: { 200: List(FeatureItem, 'The features') },
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
