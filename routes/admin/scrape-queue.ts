import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { IdParams, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import {
  Backfilled,
  DownloadStats,
  Enqueued,
  ImageDownload,
  ImageDownloadPage,
  ImageDownloadQuery,
  ManualImport,
  ProductParams,
  ProductScrape,
  ScrapeStats,
  ScrapeTask,
  ScrapeTaskPage,
  ScrapeTaskQuery,
  ScrapeWish,
} from '../../src/schemas/scraping.ts'
import {
  backfillImageLog,
  countImageDownloads,
  listImageDownloads,
  listProductDownloads,
  retryFailedDownloads,
  retryImageDownload,
} from '../../src/services/scraping/image-log.ts'
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

/** Specification, "Image scraping": the queue; contract section 9. */
export const scrapeQueueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/stats',
    {
      config,
      schema: {
        operationId: 'countScrapeTasks',
        summary: 'How many tasks there are of each status',
        description: 'Of each product the last task that ended is kept, beside the active one.',
        response: { 200: ref(ScrapeStats) },
      },
    },
    async () => countScrapeTasks(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listScrapeTasks',
        summary: 'The queue, the newest first',
        description: "Filtered by status, searched by the product's name and the page's address.",
        querystring: ScrapeTaskQuery,
        response: { 200: ref(ScrapeTaskPage) },
      },
    },
    async (request) => listScrapeTasks(deps, request.query),
  )

  app.post(
    '/:id/retry',
    {
      config,
      schema: {
        operationId: 'retryScrapeTask',
        summary: 'Begin a task again',
        description: 'One that ended, or waits for its next attempt, is due now.',
        params: IdParams,
        response: { 202: ref(ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') },
      },
    },
    async (request, reply) => reply.code(202).send(await retryScrapeTask(deps, request.params.id)),
  )

  app.post(
    '/retry-failed',
    {
      config,
      schema: {
        operationId: 'retryFailedScrapeTasks',
        summary: 'Begin all failed tasks again',
        description: 'Those of products for which another task waits are left out.',
        response: { 200: ref(Enqueued) },
      },
    },
    async () => retryFailedTasks(deps),
  )

  app.post(
    '/enqueue-active-without-images',
    {
      config,
      schema: {
        operationId: 'enqueueImagelessProducts',
        summary: 'Ask for images of all active products that have none',
        description: 'Those for which a task waits already are left out.',
        response: { 200: ref(Enqueued) },
      },
    },
    async () => enqueueImageless(deps),
  )

  app.get(
    '/product/:productId',
    {
      config,
      schema: {
        operationId: 'getProductScrape',
        summary: 'What the scraper knows of a product',
        description: 'Its newest task, the page that would be read, and how its images fared.',
        params: ProductParams,
        response: { 200: ref(ProductScrape) },
      },
    },
    async (request) => getProductScrape(deps, request.params.productId),
  )

  app.post(
    '/product/:productId/enqueue',
    {
      config,
      schema: {
        operationId: 'enqueueProduct',
        summary: 'Ask for the images of a product',
        description:
          'A task that waits already is due at once; one that is being worked on is answered as it is.',
        params: ProductParams,
        body: ref(ScrapeWish),
        response: { 202: ref(ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') },
      },
    },
    async (request, reply) => {
      const task = await enqueueProduct(deps, request.params.productId, request.body)
      return reply.code(202).send(task)
    },
  )

  app.post(
    '/manual-import',
    {
      config,
      schema: {
        operationId: 'importImages',
        summary: 'Fetch images for a product from addresses that staff give',
        description: 'In the background; they are shown behind those that the product has.',
        body: ref(ManualImport),
        response: { 202: ref(ScrapeTask), 409: Conflict('SCRAPE_ACTIVE') },
      },
    },
    async (request, reply) => reply.code(202).send(await importImages(deps, request.body)),
  )
}

/** Specification, "Image scraping": the download log. */
export const imageLogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/image-log/stats',
    {
      config,
      schema: {
        operationId: 'countImageDownloads',
        summary: 'How many images came, and how many did not',
        description: 'By what the last attempt gave.',
        response: { 200: ref(DownloadStats) },
      },
    },
    async () => countImageDownloads(deps),
  )

  app.get(
    '/image-log',
    {
      config,
      schema: {
        operationId: 'listImageDownloads',
        summary: 'The download log, the last attempt first',
        description: "Filtered by status, searched by the product's name and the image's address.",
        querystring: ImageDownloadQuery,
        response: { 200: ref(ImageDownloadPage) },
      },
    },
    async (request) => listImageDownloads(deps, request.query),
  )

  app.get(
    '/product/:productId/image-log',
    {
      config,
      schema: {
        operationId: 'listProductImageDownloads',
        summary: 'The download log of a product',
        description: 'In page order.',
        params: ProductParams,
        response: { 200: Type.Array(ref(ImageDownload), { description: 'The entries' }) },
      },
    },
    async (request) => listProductDownloads(deps, request.params.productId),
  )

  app.post(
    '/image-log/:id/retry',
    {
      config,
      schema: {
        operationId: 'retryImageDownload',
        summary: 'Fetch an image again',
        description: 'In the background, also one that came: it takes the place of what came before.',
        params: IdParams,
        response: { 202: ref(ImageDownload), 409: Conflict('SCRAPE_ACTIVE', 'NOT_DOWNLOADED') },
      },
    },
    async (request, reply) => reply.code(202).send(await retryImageDownload(deps, request.params.id)),
  )

  app.post(
    '/image-log/retry-failed',
    {
      config,
      schema: {
        operationId: 'retryFailedImageDownloads',
        summary: 'Fetch all images again that did not come',
        description: 'In the background; those of products that are being worked on are left out.',
        response: { 200: ref(Enqueued) },
      },
    },
    async () => retryFailedDownloads(deps),
  )

  app.post(
    '/image-log/backfill',
    {
      config,
      schema: {
        operationId: 'backfillImageLog',
        summary: 'Enter the images into the log that products have without it',
        description: "Under the library's own address.",
        response: { 200: ref(Backfilled) },
      },
    },
    async () => backfillImageLog(deps),
  )
}
