import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { BannerBlock, BannerBlockInput, PublicBannerBlock } from '../src/schemas/banner-blocks.ts'
import { List } from '../src/schemas/common.ts'
import { BANNER_BLOCKS, checkBanner, listActiveBanners } from '../src/services/content/banner-blocks.ts'
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
      response: { 200: List(PublicBannerBlock, 'The banners') },
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
