import { callerOf } from '../plugins/auth.ts'
import { List, ref } from '../src/schemas/common.ts'
import { Page } from '../src/schemas/lists.ts'
import * as wire from '../src/schemas/reviews.ts'
import * as reviews from '../src/services/content/reviews.ts'
import { getRecord, recordUseCases } from '../src/services/records.ts'
import { routes } from './endpoints.ts'
import { recordRoutes } from './record-routes.ts'

/** Contract section 1. */
const MAX_IMPORT_BYTES = 20 * 1024 * 1024

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const reviewRoutes = routes('EDITOR', (app, deps) => {
  app.cached('/active', {
    operationId: 'listActiveReviews',
    summary: 'List the reviews to show',
    description: 'By display order: those of the shop and of all products, or only those of one product.',
    querystring: wire.ActiveReviewQuery,
    response: { 200: List(wire.Review, 'The reviews') },
    handler: async (request, reply) => reply.cacheable(await reviews.listActiveReviews(deps, request.query)),
  })
  app.get('/', {
    operationId: 'listReviews',
    summary: 'List reviews',
    querystring: wire.ReviewQuery,
    response: { 200: Page(wire.Review) },
    handler: async (request) => reviews.listReviews(deps, request.query),
  })
  recordRoutes(app, {
    name: 'review',
    schemas: { record: wire.Review, input: wire.ReviewInput },
    notes: { create: 'Without a `productId` it is about the shop as a whole.' },
    get: (of, id) => getRecord(of, reviews.REVIEWS, id),
    ...recordUseCases(reviews.REVIEWS),
    // A page with filters, above.
    list: undefined,
  })
  app.get('/export', {
    operationId: 'exportReviews',
    summary: 'Export all reviews',
    description: 'In the form that `POST /import` accepts; importing it unchanged changes nothing.',
    response: { 200: wire.ReviewExport },
    handler: async (_request, reply) => reply.cacheable(await reviews.exportReviews(deps)),
  })
  app.post('/import', {
    bodyLimit: MAX_IMPORT_BYTES,
    operationId: 'importReviews',
    summary: 'Import reviews, all or none',
    description:
      'A row with an id updates the review with the same author, text, date and product, or else the one of that id. Any other row becomes a new review with a new id. A 400 names the row and field of each fault.',
    body: ref(wire.ReviewImport),
    response: { 200: ref(wire.ReviewImportResult) },
    handler: async (request) => reviews.importReviews(deps, callerOf(request), request.body),
  })
})
