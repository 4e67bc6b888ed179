import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { List, ref } from '../src/schemas/common.ts'
import { Page } from '../src/schemas/lists.ts'
import {
  ActiveReviewQuery,
  Review,
  ReviewExport,
  ReviewImport,
  ReviewImportResult,
  ReviewInput,
  ReviewQuery,
} from '../src/schemas/reviews.ts'
import {
  exportReviews,
  importReviews,
  listActiveReviews,
  listReviews,
  REVIEWS,
} from '../src/services/content/reviews.ts'
import { getRecord, recordUseCases } from '../src/services/records.ts'
import { recordRoutes } from './record-routes.ts'

const config = { access: 'EDITOR' } as const
/** Contract section 1. */
const MAX_IMPORT_BYTES = 20 * 1024 * 1024

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const reviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    config: CACHEABLE,
    schema: {
      operationId: 'listActiveReviews',
      summary: 'List the reviews to show',
      description: 'By display order: those of the shop and of all products, or only those of one product.',
      querystring: ActiveReviewQuery,
      response: { 200: List(Review, 'The reviews') },
    },
    handler: async (request, reply) => reply.cacheable(await listActiveReviews(deps, request.query)),
  })
  app.get('/', {
    config,
    schema: {
      operationId: 'listReviews',
      summary: 'List reviews',
      querystring: ReviewQuery,
      response: { 200: Page(Review) },
    },
    handler: async (request) => listReviews(deps, request.query),
  })
  recordRoutes(app, {
    access: 'EDITOR',
    id: 'Review',
    name: 'review',
    record: Review,
    input: ReviewInput,
    notes: { create: 'Without a `productId` it is about the shop as a whole.' },
    get: (of, id) => getRecord(of, REVIEWS, id),
    ...recordUseCases(REVIEWS),
  })
  app.get('/export', {
    config,
    schema: {
      operationId: 'exportReviews',
      summary: 'Export all reviews',
      description: 'In the form that `POST /import` accepts; importing it unchanged changes nothing.',
      response: { 200: ReviewExport },
    },
    handler: async () => exportReviews(deps),
  })
  app.post('/import', {
    config,
    bodyLimit: MAX_IMPORT_BYTES,
    schema: {
      operationId: 'importReviews',
      summary: 'Import reviews, all or none',
      description:
        'A row updates the review of its id, or the one with the same author, text, date and product. ' +
        'Any other row, and one without an id, becomes a new review with a new id. ' +
        'A 400 names the row and field of each fault.',
      body: ref(ReviewImport),
      response: { 200: ref(ReviewImportResult) },
    },
    handler: async (request) => importReviews(deps, callerOf(request), request.body),
  })
}
