import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import {
  Enqueued,
  ManualImport,
  ProductParams,
  ProductScrape,
  ScrapeRequest,
  ScrapeStats,
  ScrapeTask,
  ScrapeTaskPage,
  ScrapeTaskQuery,
} from '../../src/schemas/scraping.ts'
import { checkImageUrls } from '../../src/services/pipeline/image-overrides.ts'
import {
  countScrapeTasks,
  enqueueImageless,
  enqueueProduct,
  getProductScrape,
  importImages,
  listScrapeTasks,
  retryFailedTasks,
  retryScrapeTask,
} from '../../src/services/scraping/queue.ts'

const config = { access: 'ADMIN' } as const
const queued = { 202: ref(ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') }

/** Specification, "Image scraping", and contract section 9: the scrape queue. */
export const scrapeQueueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/stats', {
    config,
    schema: {
      operationId: 'countScrapeTasks',
      summary: 'Count the tasks by status',
      description: 'Each product has at most one active and one finished task.',
      response: { 200: ref(ScrapeStats) },
    },
    handler: async () => countScrapeTasks(deps),
  })

  app.get('/', {
    config,
    schema: {
      operationId: 'listScrapeTasks',
      summary: 'List the scrape queue',
      querystring: ScrapeTaskQuery,
      response: { 200: ref(ScrapeTaskPage) },
    },
    handler: async (request) => listScrapeTasks(deps, request.query),
  })

  app.post('/:id/retry', {
    config,
    schema: {
      operationId: 'retryScrapeTask',
      summary: 'Retry a task',
      description: 'A finished task, or one waiting for its next attempt, becomes due at once.',
      params: IdParams,
      response: queued,
    },
    handler: async (request) => retryScrapeTask(deps, request.params.id),
  })

  app.post('/retry-failed', {
    config,
    schema: {
      operationId: 'retryFailedScrapeTasks',
      summary: 'Retry all failed tasks',
      description: 'Skips products that already have an active task.',
      response: { 200: ref(Enqueued) },
    },
    handler: async () => retryFailedTasks(deps),
  })

  app.post('/enqueue-active-without-images', {
    config,
    schema: {
      operationId: 'enqueueImagelessProducts',
      summary: 'Enqueue all active products without images',
      description: 'Skips products that already have an active task.',
      response: { 200: ref(Enqueued) },
    },
    handler: async () => enqueueImageless(deps),
  })

  app.get('/product/:productId', {
    config,
    schema: {
      operationId: 'getProductScrape',
      summary: "Get a product's scraping state",
      params: ProductParams,
      response: { 200: ref(ProductScrape) },
    },
    handler: async (request) => getProductScrape(deps, request.params.productId),
  })

  app.post('/product/:productId/enqueue', {
    config,
    schema: {
      operationId: 'enqueueProduct',
      summary: 'Enqueue a product',
      description:
        'A pending task becomes due at once. A task in progress is returned unchanged unless `pageUrl` is given.',
      params: ProductParams,
      body: ref(ScrapeRequest),
      response: queued,
    },
    handler: async (request) => enqueueProduct(deps, request.params.productId, request.body),
  })

  app.post('/manual-import', {
    config: { ...config, check: checkImageUrls },
    schema: {
      operationId: 'importImages',
      summary: 'Import images of a product by URL',
      description: 'Runs in the background. The images are appended to those the product has.',
      body: ref(ManualImport),
      response: queued,
    },
    handler: async (request) => importImages(deps, request.body),
  })
}
