import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { BannerBlockInput, BannerBlocks, StaffBannerBlock } from '../src/schemas/banner-blocks.ts'
import { IdParams, List, NoContent, ref } from '../src/schemas/common.ts'
import { PartOf, PartQuery } from '../src/schemas/lists.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import {
  checkBanner,
  createBannerBlock,
  deleteBannerBlock,
  getBannerBlock,
  listActiveBannerBlocks,
  listBannerBlocks,
  updateBannerBlock,
} from '../src/services/content/banner-blocks.ts'

/** See docs/content.md. */
export const bannerBlockRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    schema: {
      operationId: 'listActiveBannerBlocks',
      summary: 'List the banners to show now',
      description: 'By display order.',
      querystring: PartQuery,
      response: { 200: PartOf(BannerBlocks) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await listActiveBannerBlocks(deps, request.query)),
  })

  app.get('/', {
    schema: {
      operationId: 'listBannerBlocks',
      summary: 'List banners',
      description: 'By display order, hidden ones included.',
      response: { 200: List(StaffBannerBlock, 'The banners') },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async () => listBannerBlocks(deps),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getBannerBlock',
      summary: 'Get a banner',
      params: IdParams,
      response: { 200: ref(StaffBannerBlock) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => getBannerBlock(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createBannerBlock',
      summary: 'Create a banner',
      body: ref(BannerBlockInput),
      response: { 201: ref(StaffBannerBlock) },
    },
    config: { access: 'EDITOR', permission: 'content', check: checkBanner },
    handler: async (request, reply) =>
      reply.code(201).send(await createBannerBlock(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateBannerBlock',
      summary: 'Update a banner',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(BannerBlockInput),
      response: { 200: ref(StaffBannerBlock) },
    },
    config: { access: 'EDITOR', permission: 'content', check: checkBanner },
    handler: async (request) => updateBannerBlock(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteBannerBlock',
      summary: 'Delete a banner',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      await deleteBannerBlock(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })
}
