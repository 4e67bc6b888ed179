import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page } from '../../src/schemas/lists.ts'
import * as wire from '../../src/schemas/scraping.ts'
import * as queue from '../../src/services/scraping/queue.ts'

const queued = { 202: ref(wire.ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') }

/** The scrape queue and the image download log (docs/scraping.md). */
export const scrapeQueueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/stats', {
    schema: {
      operationId: 'countScrapeTasks',
      summary: 'Count the tasks by status',
      description: 'Each product has at most one active and one finished task.',
      response: { 200: ref(wire.ScrapeStats) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.countScrapeTasks(deps),
  })

  app.get('/', {
    schema: {
      operationId: 'listScrapeTasks',
      summary: 'List the scrape queue',
      querystring: wire.ScrapeTaskQuery,
      response: { 200: Page(wire.ScrapeTask) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => queue.listScrapeTasks(deps, request.query),
  })

  app.post('/:id/retry', {
    schema: {
      operationId: 'retryScrapeTask',
      summary: 'Retry a task',
      description: 'A finished task, or one waiting for its next attempt, becomes due at once.',
      params: IdParams,
      response: queued,
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => reply.code(202).send(await queue.retryScrapeTask(deps, request.params.id)),
  })

  app.post('/retry-failed', {
    schema: {
      operationId: 'retryFailedScrapeTasks',
      summary: 'Retry all failed tasks',
      description: 'Skips products that already have an active task.',
      response: { 200: ref(wire.Enqueued) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.retryFailedTasks(deps),
  })

  app.post('/enqueue-active-without-images', {
    schema: {
      operationId: 'enqueueImagelessProducts',
      summary: 'Enqueue all active products without images',
      description: 'Skips products that already have an active task.',
      response: { 200: ref(wire.Enqueued) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.enqueueImageless(deps),
  })

  app.get('/product/:productId', {
    schema: {
      operationId: 'getProductScrape',
      summary: "Get a product's scraping state",
      params: wire.ProductParams,
      response: { 200: ref(wire.ProductScrape) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => queue.getProductScrape(deps, request.params.productId),
  })

  app.post('/product/:productId/enqueue', {
    schema: {
      operationId: 'enqueueProduct',
      summary: 'Enqueue a product',
      description:
        'A pending task becomes due at once. A task in progress is returned unchanged unless `pageUrl` is given.',
      params: wire.ProductParams,
      body: ref(wire.ScrapeRequest),
      response: queued,
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) =>
      reply.code(202).send(await queue.enqueueProduct(deps, request.params.productId, request.body)),
  })

  app.post('/manual-import', {
    schema: {
      operationId: 'importImages',
      summary: 'Import images of a product by URL',
      description: 'Runs in the background. The images are appended to those the product has.',
      body: ref(wire.ManualImport),
      response: queued,
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) =>
      reply.code(202).send(await queue.importImages(deps, callerOf(request), request.body)),
  })

  app.get('/image-log/stats', {
    schema: {
      operationId: 'countImageDownloads',
      summary: 'Count image downloads by status',
      response: { 200: ref(wire.DownloadStats) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.countImageDownloads(deps),
  })

  app.get('/image-log', {
    schema: {
      operationId: 'listImageDownloads',
      summary: 'List image downloads',
      querystring: wire.ImageDownloadQuery,
      response: { 200: Page(wire.ImageDownload) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => queue.listImageDownloads(deps, request.query),
  })

  app.get('/product/:productId/image-log', {
    schema: {
      operationId: 'listProductImageDownloads',
      summary: 'List the image downloads of a product',
      description: 'In the order of the images on the page.',
      params: wire.ProductParams,
      response: { 200: List(wire.ImageDownload, 'The downloads') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => queue.listProductDownloads(deps, request.params.productId),
  })

  app.post('/image-log/:id/retry', {
    schema: {
      operationId: 'retryImageDownload',
      summary: 'Retry an image download',
      description: 'Runs in the background. A successful download is repeated, and its image replaced.',
      params: IdParams,
      response: { 202: ref(wire.ImageDownload), 409: Conflict('SCRAPE_ACTIVE', 'NOT_DOWNLOADED') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => reply.code(202).send(await queue.retryImageDownload(deps, request.params.id)),
  })

  app.post('/image-log/retry-failed', {
    schema: {
      operationId: 'retryFailedImageDownloads',
      summary: 'Retry all failed image downloads',
      description: 'Runs in the background. Skips products whose task is in progress.',
      response: { 200: ref(wire.Enqueued) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.retryFailedDownloads(deps),
  })

  app.post('/image-log/backfill', {
    schema: {
      operationId: 'backfillImageLog',
      summary: 'Backfill the image log',
      description: "Adds an entry under the image library's own URL for each product image without one.",
      response: { 200: ref(wire.Backfilled) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async () => queue.backfillImageLog(deps),
  })
}
