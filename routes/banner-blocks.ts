import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { BannerBlock, BannerBlockInput, PublicBannerBlock } from '../src/schemas/banner-blocks.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import { BANNER_BLOCKS, bannerValues, listActiveBanners } from '../src/services/content/banner-blocks.ts'
import {
  changeRecord,
  createRecord,
  deleteRecord,
  getRecord,
  listRecords,
} from '../src/services/content/records.ts'
import { targetOf } from './targets.ts'

const config = { access: 'EDITOR' } as const

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/active',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'listActiveBannerBlocks',
        summary: 'What the storefront shows now',
        description: 'Within their time, in the order in which they are shown.',
        response: { 200: Type.Array(ref(PublicBannerBlock), { description: 'The banners' }) },
      },
    },
    async () => listActiveBanners(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listBannerBlocks',
        summary: 'All banners in the order in which they are shown',
        description: 'Those that are not shown too.',
        response: { 200: Type.Array(ref(BannerBlock), { description: 'The banners' }) },
      },
    },
    async () => listRecords(deps, BANNER_BLOCKS),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        operationId: 'getBannerBlock',
        summary: 'One banner',
        description: "With its version, for a change that loses nobody's work.",
        params: IdParams,
        response: { 200: ref(BannerBlock) },
      },
    },
    async (request) => getRecord(deps, BANNER_BLOCKS, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createBannerBlock',
        summary: 'Add a banner',
        description: 'What links somewhere links into the shop or to http(s).',
        body: ref(BannerBlockInput),
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
        operationId: 'updateBannerBlock',
        summary: 'Change a banner',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(BannerBlockInput),
        response: { 200: ref(BannerBlock), 412: Failure },
      },
    },
    async (request) => {
      const values = bannerValues(request.body)
      return changeRecord(deps, BANNER_BLOCKS, callerOf(request), targetOf(request), values)
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteBannerBlock',
        summary: 'Delete a banner',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, BANNER_BLOCKS, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}
