import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { BannerBlock, BannerBlockInput, PublicBannerBlock } from '../src/schemas/banner-blocks.ts'
import { ref } from '../src/schemas/common.ts'
import { BANNER_BLOCKS, checkBanner, listActiveBanners } from '../src/services/content/banner-blocks.ts'
import { createRecord, deleteRecord, getRecord, listRecords, updateRecord } from '../src/services/records.ts'
import { recordOperations } from './record-operations.ts'
import { targetOf } from './targets.ts'

const operations = recordOperations({
  access: 'EDITOR',
  id: 'BannerBlock',
  name: 'banner',
  record: BannerBlock,
  input: BannerBlockInput,
  check: checkBanner,
  notes: { list: 'By display order, hidden ones included.' },
})

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveBannerBlocks',
      summary: 'List the banners to show now',
      description: 'By display order.',
      response: { 200: Type.Array(ref(PublicBannerBlock), { description: 'The banners' }) },
    },
    handler: async (_request, reply) => reply.cacheable(await listActiveBanners(deps)),
  })
  app.get('/', operations.list, async () => listRecords(deps, BANNER_BLOCKS))
  app.get('/:id', operations.get, async ({ params }) => getRecord(deps, BANNER_BLOCKS, params.id))
  app.post('/', operations.create, async (request) =>
    createRecord(deps, BANNER_BLOCKS, callerOf(request), request.body),
  )
  app.put('/:id', operations.update, async (request) =>
    updateRecord(deps, BANNER_BLOCKS, callerOf(request), targetOf(request), request.body),
  )
  app.delete('/:id', operations.delete, async (request) =>
    deleteRecord(deps, BANNER_BLOCKS, callerOf(request), targetOf(request)),
  )
}
