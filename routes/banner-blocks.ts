import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { BannerBlock, BannerBlockInput, PublicBannerBlock } from '../src/schemas/banner-blocks.ts'
import { Failure, IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { BANNER_BLOCKS, bannerValues, listActiveBanners } from '../src/services/content/banner-blocks.ts'
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
} from '../src/services/content/records.ts'

const tags = ['banner-blocks']
const config = { access: 'EDITOR' } as const

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/active',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'listActiveBannerBlocks',
        summary: 'What the storefront shows now',
        response: { 200: Type.Array(ref(PublicBannerBlock)) },
      },
    },
    async () => listActiveBanners(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listBannerBlocks',
        summary: 'All banners in the order in which they are shown',
        response: { 200: Type.Array(ref(BannerBlock)) },
      },
    },
    async () => listRecords(deps, BANNER_BLOCKS),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getBannerBlock',
        summary: 'One banner',
        params: IdParams,
        response: { 200: ref(BannerBlock), 404: Failure },
      },
    },
    async (request) => getRecord(deps, BANNER_BLOCKS, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'createBannerBlock',
        summary: 'Add a banner',
        body: BannerBlockInput,
        response: { 201: ref(BannerBlock) },
      },
    },
    async (request, reply) => {
      const values = bannerValues(request.body)
      return reply.code(201).send(await createRecord(deps, BANNER_BLOCKS, callerOf(request), values))
    },
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateBannerBlock',
        summary: 'Change a banner',
        params: IdParams,
        headers: VersionHeaders,
        body: BannerBlockInput,
        response: { 200: ref(BannerBlock), 404: Failure, 412: Failure },
      },
    },
    async (request) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeRecord(deps, BANNER_BLOCKS, callerOf(request), target, bannerValues(request.body))
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteBannerBlock',
        summary: 'Delete a banner',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 404: Failure, 412: Failure },
      },
    },
    async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await deleteRecord(deps, BANNER_BLOCKS, callerOf(request), target)
      return reply.code(204).send(null)
    },
  )
}
