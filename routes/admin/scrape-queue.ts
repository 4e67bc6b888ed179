import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Page } from '../../src/schemas/lists.ts'
import * as wire from '../../src/schemas/scraping.ts'
import * as queue from '../../src/services/scraping/queue.ts'
import { routes } from '../endpoints.ts'

const queued = { 202: ref(wire.ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') }

/** Specification, "Image scraping", and contract section 9: the scrape queue and the image download log. */
export const scrapeQueueRoutes = routes('ADMIN', (app, deps) => {
  app.get('/stats', {
    operationId: 'countScrapeTasks',
    summary: 'Count the tasks by status',
    description: 'Each product has at most one active and one finished task.',
    response: { 200: ref(wire.ScrapeStats) },
    handler: async () => queue.countScrapeTasks(deps),
  })

  app.get('/', {
    operationId: 'listScrapeTasks',
    summary: 'List the scrape queue',
    querystring: wire.ScrapeTaskQuery,
    response: { 200: Page(wire.ScrapeTask) },
    handler: async (request) => queue.listScrapeTasks(deps, request.query),
  })

  app.post('/:id/retry', {
    operationId: 'retryScrapeTask',
    summary: 'Retry a task',
    description: 'A finished task, or one waiting for its next attempt, becomes due at once.',
    params: IdParams,
    response: queued,
    handler: async (request) => queue.retryScrapeTask(deps, request.params.id),
  })

  app.post('/retry-failed', {
    operationId: 'retryFailedScrapeTasks',
    summary: 'Retry all failed tasks',
    description: 'Skips products that already have an active task.',
    response: { 200: ref(wire.Enqueued) },
    handler: async () => queue.retryFailedTasks(deps),
  })

  app.post('/enqueue-active-without-images', {
    operationId: 'enqueueImagelessProducts',
    summary: 'Enqueue all active products without images',
    description: 'Skips products that already have an active task.',
    response: { 200: ref(wire.Enqueued) },
    handler: async () => queue.enqueueImageless(deps),
  })

  app.get('/product/:productId', {
    operationId: 'getProductScrape',
    summary: "Get a product's scraping state",
    params: wire.ProductParams,
    response: { 200: ref(wire.ProductScrape) },
    handler: async (request) => queue.getProductScrape(deps, request.params.productId),
  })

  app.post('/product/:productId/enqueue', {
    operationId: 'enqueueProduct',
    summary: 'Enqueue a product',
    description:
      'A pending task becomes due at once. A task in progress is returned unchanged unless `pageUrl` is given.',
    params: wire.ProductParams,
    body: ref(wire.ScrapeRequest),
    response: queued,
    handler: async (request) => queue.enqueueProduct(deps, request.params.productId, request.body),
  })

  app.post('/manual-import', {
    operationId: 'importImages',
    summary: 'Import images of a product by URL',
    description: 'Runs in the background. The images are appended to those the product has.',
    body: ref(wire.ManualImport),
    response: queued,
    handler: async (request) => queue.importImages(deps, callerOf(request), request.body),
  })

  app.get('/image-log/stats', {
    operationId: 'countImageDownloads',
    summary: 'Count image downloads by status',
    response: { 200: ref(wire.DownloadStats) },
    handler: async () => queue.countImageDownloads(deps),
  })

  app.get('/image-log', {
    operationId: 'listImageDownloads',
    summary: 'List image downloads',
    querystring: wire.ImageDownloadQuery,
    response: { 200: Page(wire.ImageDownload) },
    handler: async (request) => queue.listImageDownloads(deps, request.query),
  })

  app.get('/product/:productId/image-log', {
    operationId: 'listProductImageDownloads',
    summary: 'List the image downloads of a product',
    description: 'In the order of the images on the page.',
    params: wire.ProductParams,
    response: { 200: List(wire.ImageDownload, 'The downloads') },
    handler: async (request) => queue.listProductDownloads(deps, request.params.productId),
  })

  app.post('/image-log/:id/retry', {
    operationId: 'retryImageDownload',
    summary: 'Retry an image download',
    description: 'Runs in the background. A successful download is repeated, and its image replaced.',
    params: IdParams,
    response: { 202: ref(wire.ImageDownload), 409: Conflict('SCRAPE_ACTIVE', 'NOT_DOWNLOADED') },
    handler: async (request) => queue.retryImageDownload(deps, request.params.id),
  })

  app.post('/image-log/retry-failed', {
    operationId: 'retryFailedImageDownloads',
    summary: 'Retry all failed image downloads',
    description: 'Runs in the background. Skips products whose task is in progress.',
    response: { 200: ref(wire.Enqueued) },
    handler: async () => queue.retryFailedDownloads(deps),
  })

  app.post('/image-log/backfill', {
    operationId: 'backfillImageLog',
    summary: 'Backfill the image log',
    description: "Adds an entry under the image library's own URL for each product image without one.",
    response: { 200: ref(wire.Backfilled) },
    handler: async () => queue.backfillImageLog(deps),
  })
})
