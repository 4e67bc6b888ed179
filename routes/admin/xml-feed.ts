import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import * as wire from '../../src/schemas/pipeline.ts'
import { StartedRun } from '../../src/schemas/runs.ts'
import { listFeedCategories, mapCategory, unmapCategory } from '../../src/services/pipeline/categories.ts'
import { runPipeline } from '../../src/services/pipeline/runs.ts'

/** See docs/pipeline.md. */
export const xmlFeedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/sync', {
    schema: {
      operationId: 'syncXmlFeed',
      summary: "Import the supplier's XML feed",
      description: 'Runs in the background unless `wait` is true.',
      querystring: wire.PipelineRunQuery,
      response: {
        200: ref(wire.PipelineRun),
        202: ref(StartedRun),
        409: Conflict('PIPELINE_RUNNING', 'FEED_NOT_CONFIGURED'),
      },
    },
    config: { access: 'ADMIN', permission: 'operations', mayWait: true },
    handler: async (request, reply) => {
      const { status, body } = await runPipeline(deps, callerOf(request), request.query)
      return reply.code(status).send(body)
    },
  })

  app.get('/categories', {
    schema: {
      operationId: 'listFeedCategories',
      summary: 'List the feed categories with their mappings',
      description: 'As of the last run, in the order of the feed.',
      response: { 200: List(wire.FeedCategory, 'The feed categories') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => listFeedCategories(deps),
  })

  app.put('/category-mappings/:feedCategoryId', {
    schema: {
      operationId: 'mapFeedCategory',
      summary: 'Map a feed category to a category of the shop',
      description:
        "The category gets the feed's name and parent now and with each run, and the supplier's sync skips it.",
      params: wire.FeedCategoryParams,
      body: ref(wire.CategoryMappingInput),
      response: { 200: ref(wire.FeedCategory), 409: Conflict('CATEGORY_MAPPED') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => {
      const { feedCategoryId } = request.params
      return mapCategory(deps, callerOf(request), feedCategoryId, request.body.categoryId)
    },
  })

  app.delete('/category-mappings/:feedCategoryId', {
    schema: {
      operationId: 'unmapFeedCategory',
      summary: 'Delete the mapping of a feed category',
      description: "Unless staff locked the category before, the supplier's next full load sets its name and parent.",
      params: wire.FeedCategoryParams,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      await unmapCategory(deps, callerOf(request), request.params.feedCategoryId)
      return reply.code(204).send()
    },
  })
}
