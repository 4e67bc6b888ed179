import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, List, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import {
  Backfilled,
  DownloadStats,
  Enqueued,
  ImageDownload,
  ImageDownloadPage,
  ImageDownloadQuery,
  ProductParams,
} from '../../src/schemas/scraping.ts'
import {
  backfillImageLog,
  countImageDownloads,
  listImageDownloads,
  listProductDownloads,
  retryFailedDownloads,
  retryImageDownload,
} from '../../src/services/scraping/image-log.ts'

const config = { access: 'ADMIN' } as const

/** Specification, "Image scraping": the image download log. */
export const imageLogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/image-log/stats', {
    config,
    schema: {
      operationId: 'countImageDownloads',
      summary: 'Count image downloads by status',
      response: { 200: ref(DownloadStats) },
    },
    handler: async () => countImageDownloads(deps),
  })

  app.get('/image-log', {
    config,
    schema: {
      operationId: 'listImageDownloads',
      summary: 'List image downloads',
      querystring: ImageDownloadQuery,
      response: { 200: ref(ImageDownloadPage) },
    },
    handler: async (request) => listImageDownloads(deps, request.query),
  })

  app.get('/product/:productId/image-log', {
    config,
    schema: {
      operationId: 'listProductImageDownloads',
      summary: 'List the image downloads of a product',
      description: 'In the order in which the page shows the images.',
      params: ProductParams,
      response: { 200: List(ImageDownload, 'The downloads') },
    },
    handler: async (request) => listProductDownloads(deps, request.params.productId),
  })

  app.post('/image-log/:id/retry', {
    config,
    schema: {
      operationId: 'retryImageDownload',
      summary: 'Retry an image download',
      description: 'Runs in the background. A successful download is repeated, and its image replaced.',
      params: IdParams,
      response: { 202: ref(ImageDownload), 409: Conflict('SCRAPE_ACTIVE', 'NOT_DOWNLOADED') },
    },
    handler: async (request) => retryImageDownload(deps, request.params.id),
  })

  app.post('/image-log/retry-failed', {
    config,
    schema: {
      operationId: 'retryFailedImageDownloads',
      summary: 'Retry all failed image downloads',
      description: 'Runs in the background. Skips products whose task is in progress.',
      response: { 200: ref(Enqueued) },
    },
    handler: async () => retryFailedDownloads(deps),
  })

  app.post('/image-log/backfill', {
    config,
    schema: {
      operationId: 'backfillImageLog',
      summary: 'Backfill the image log',
      description: "Adds an entry under the image library's own URL for each product image without one.",
      response: { 200: ref(Backfilled) },
    },
    handler: async () => backfillImageLog(deps),
  })
}
