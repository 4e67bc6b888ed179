import { BannerBlock, BannerBlockInput, FeatureItem, FeatureItemInput } from '../src/schemas/content-blocks.ts'
import * as contentBlocks from '../src/services/content/content-blocks.ts'
import { getRecord, recordUseCases } from '../src/services/records.ts'
import { routes } from './endpoints.ts'
import { recordRoutes } from './record-routes.ts'

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes = routes('EDITOR', (app) => {
  recordRoutes(app, {
    name: 'banner',
    schemas: { record: BannerBlock, input: BannerBlockInput },
    check: contentBlocks.checkBanner,
    notes: { list: 'By display order, hidden ones included.' },
    listActive: contentBlocks.listActiveBanners,
    get: (deps, id) => getRecord(deps, contentBlocks.BANNER_BLOCKS, id),
    ...recordUseCases(contentBlocks.BANNER_BLOCKS),
  })
})

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const featureItemRoutes = routes('EDITOR', (app) => {
  recordRoutes(app, {
    name: 'feature',
    schemas: { record: FeatureItem, input: FeatureItemInput },
    notes: { list: 'By display order, hidden ones included.' },
    listActive: contentBlocks.listActiveFeatures,
    get: (deps, id) => getRecord(deps, contentBlocks.FEATURE_ITEMS, id),
    ...recordUseCases(contentBlocks.FEATURE_ITEMS),
  })
})
