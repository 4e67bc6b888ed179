import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { BannerBlock, BannerBlockInput, FeatureItem, FeatureItemInput } from '../src/schemas/content-blocks.ts'
import {
  BANNER_BLOCKS,
  checkBanner,
  FEATURE_ITEMS,
  listActiveBanners,
  listActiveFeatures,
} from '../src/services/content/content-blocks.ts'
import { getRecord, listRecords, recordUseCases } from '../src/services/records.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, {
    access: 'EDITOR',
    id: 'BannerBlock',
    name: 'banner',
    record: BannerBlock,
    input: BannerBlockInput,
    check: checkBanner,
    notes: { list: 'By display order, hidden ones included.' },
    listActive: listActiveBanners,
    list: (deps) => listRecords(deps, BANNER_BLOCKS),
    get: (deps, id) => getRecord(deps, BANNER_BLOCKS, id),
    ...recordUseCases(BANNER_BLOCKS),
  })
}

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, {
    access: 'EDITOR',
    id: 'FeatureItem',
    name: 'feature',
    record: FeatureItem,
    input: FeatureItemInput,
    notes: { list: 'By display order, hidden ones included.' },
    listActive: listActiveFeatures,
    list: (deps) => listRecords(deps, FEATURE_ITEMS),
    get: (deps, id) => getRecord(deps, FEATURE_ITEMS, id),
    ...recordUseCases(FEATURE_ITEMS),
  })
}
