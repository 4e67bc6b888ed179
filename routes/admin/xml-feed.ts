import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import { NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { CategoryMappingInput, FeedCategory, FeedCategoryParams } from '../../src/schemas/feed-categories.ts'
import { PipelineRunDetails, PipelineRunQuery, StartedPipelineRun } from '../../src/schemas/pipeline.ts'
import { listFeedCategories, mapCategory, unmapCategory } from '../../src/services/pipeline/categories.ts'
import { runPipeline } from '../../src/services/pipeline/runs.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Other administrative and content endpoints"; contract section 9, "Pipeline". */
export const xmlFeedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/sync',
    {
      config: { ...config, mayTakeLong: true },
      schema: {
        operationId: 'syncXmlFeed',
        summary: "Bring in the supplier's XML feed",
        description:
          'It runs in the background unless `wait` is true. With `dryRun` nothing changes, and the counts of the stages say what would.',
        querystring: PipelineRunQuery,
        response: {
          200: ref(PipelineRunDetails),
          202: ref(StartedPipelineRun),
          409: Conflict('PIPELINE_RUNNING', 'FEED_NOT_CONFIGURED'),
        },
      },
    },
    async (request, reply) => {
      const { status, body } = await runPipeline(deps, request.query)
      return reply.code(status).send(body)
    },
  )

  app.get(
    '/categories',
    {
      config,
      schema: {
        operationId: 'listFeedCategories',
        summary: 'The categories of the feed, with what each is mapped to',
        description: 'As the last run left them, in the order of the feed.',
        response: { 200: Type.Array(ref(FeedCategory), { description: 'The categories' }) },
      },
    },
    async () => listFeedCategories(deps),
  )

  app.put(
    '/category-mappings/:feedCategoryId',
    {
      config,
      schema: {
        operationId: 'mapFeedCategory',
        summary: 'Map a category of the feed to one of ours',
        description:
          "Ours gets the feed's name and place at once and with each run, and the supplier's sync leaves it alone.",
        params: FeedCategoryParams,
        body: ref(CategoryMappingInput),
        response: { 200: ref(FeedCategory), 409: Conflict('CATEGORY_MAPPED') },
      },
    },
    async (request) => {
      const { feedCategoryId } = request.params
      return mapCategory(deps, callerOf(request), feedCategoryId, request.body.categoryId)
    },
  )

  app.delete(
    '/category-mappings/:feedCategoryId',
    {
      config,
      schema: {
        operationId: 'unmapFeedCategory',
        summary: 'Map a category of the feed to nothing',
        description: "Ours is unlocked: the supplier's next full list gives it its name and place.",
        params: FeedCategoryParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await unmapCategory(deps, callerOf(request), request.params.feedCategoryId)
      return reply.code(204).send(null)
    },
  )
}
