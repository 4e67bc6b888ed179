import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../src/schemas/common.ts'
import { Page, PartOf } from '../src/schemas/lists.ts'
import * as wire from '../src/schemas/reviews.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import * as reviews from '../src/services/content/reviews.ts'
import { createReview, deleteReview, getReview, updateReview } from '../src/services/content/reviews.ts'

/** See docs/http.md. */
const MAX_IMPORT_BYTES = 20 * 1024 * 1024

/** See docs/content.md. */
export const reviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/active', {
    schema: {
      operationId: 'listActiveReviews',
      summary: 'List the reviews to show',
      description:
        'By display order: those of the shop and of all products, or only those of one product or of the shop.',
      querystring: wire.ActiveReviewQuery,
      response: { 200: PartOf(wire.Reviews) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await reviews.listActiveReviews(deps, request.query)),
  })

  app.get('/', {
    schema: {
      operationId: 'listReviews',
      summary: 'List reviews',
      querystring: wire.ReviewQuery,
      response: { 200: Page(wire.StaffReview) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => reviews.listReviews(deps, request.query),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getReview',
      summary: 'Get a review',
      params: IdParams,
      response: { 200: ref(wire.StaffReview) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => getReview(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createReview',
      summary: 'Create a review',
      description: 'Without a `productId` it is about the shop as a whole.',
      body: ref(wire.ReviewInput),
      response: { 201: ref(wire.StaffReview) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => reply.code(201).send(await createReview(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateReview',
      summary: 'Update a review',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.ReviewInput),
      response: { 200: ref(wire.StaffReview) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request) => updateReview(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteReview',
      summary: 'Delete a review',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (request, reply) => {
      await deleteReview(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.get('/export', {
    schema: {
      operationId: 'exportReviews',
      summary: 'Export all reviews',
      description: 'In the form that `POST /import` accepts; importing it unchanged changes nothing.',
      response: { 200: wire.ReviewExport },
    },
    config: { access: 'EDITOR', permission: 'content' },
    handler: async (_request, reply) => reply.cacheable(await reviews.exportReviews(deps)),
  })

  app.post('/import', {
    schema: {
      operationId: 'importReviews',
      summary: 'Import reviews, all or none',
      description:
        'A row with an id updates the review with the same author, text, date and product, or else the one of that id. Any other row becomes a new review with a new id. A 400 names the row and field of each fault.',
      body: ref(wire.ReviewImport),
      response: { 200: ref(wire.ReviewImportResult) },
    },
    config: { access: 'EDITOR', permission: 'content' },
    bodyLimit: MAX_IMPORT_BYTES,
    handler: async (request) => reviews.importReviews(deps, callerOf(request), request.body),
  })
}
