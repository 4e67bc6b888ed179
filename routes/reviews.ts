import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { Failure, IdParams, NoContent, Page, ref, VersionHeaders } from '../src/schemas/common.ts'
import {
  PublicReview,
  Review,
  ReviewExport,
  ReviewImport,
  ReviewImportResult,
  ReviewInput,
  ReviewQuery,
} from '../src/schemas/reviews.ts'
import { changeRecord, createRecord, deleteRecord, getRecord } from '../src/services/content/records.ts'
import {
  exportReviews,
  importReviews,
  listActiveReviews,
  listReviews,
  REVIEWS,
  reviewValues,
} from '../src/services/content/reviews.ts'

const tags = ['reviews']
const config = { access: 'EDITOR' } as const
const IMPORT_BYTES = 20 * 1024 * 1024

/** Specification, "Other administrative and content endpoints"; contract section 7. */
export const reviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/active',
    {
      config: { access: 'public' },
      schema: {
        tags,
        operationId: 'listActiveReviews',
        summary: 'What the storefront shows now',
        response: { 200: Type.Array(ref(PublicReview)) },
      },
    },
    async () => listActiveReviews(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listReviews',
        summary: 'All reviews',
        querystring: ReviewQuery,
        response: { 200: Page(ref(Review)) },
      },
    },
    async (request) => listReviews(deps, request.query),
  )

  app.get(
    '/export',
    {
      config,
      schema: {
        tags,
        operationId: 'exportReviews',
        summary: 'All reviews as a file that can be imported again',
        response: { 200: ReviewExport },
      },
    },
    async () => exportReviews(deps),
  )

  app.post(
    '/import',
    {
      config,
      bodyLimit: IMPORT_BYTES,
      schema: {
        tags,
        operationId: 'importReviews',
        summary: 'Write the reviews of a file, all or none',
        body: ReviewImport,
        response: { 200: ref(ReviewImportResult) },
      },
    },
    async (request) => importReviews(deps, callerOf(request), request.body),
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getReview',
        summary: 'One review',
        params: IdParams,
        response: { 200: ref(Review), 404: Failure },
      },
    },
    async (request) => getRecord(deps, REVIEWS, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'createReview',
        summary: 'Add a review',
        body: ReviewInput,
        response: { 201: ref(Review) },
      },
    },
    async (request, reply) => {
      const values = reviewValues(request.body)
      return reply.code(201).send(await createRecord(deps, REVIEWS, callerOf(request), values))
    },
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'updateReview',
        summary: 'Change a review',
        params: IdParams,
        headers: VersionHeaders,
        body: ReviewInput,
        response: { 200: ref(Review), 404: Failure, 412: Failure },
      },
    },
    async (request) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      return changeRecord(deps, REVIEWS, callerOf(request), target, reviewValues(request.body))
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteReview',
        summary: 'Delete a review',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 404: Failure, 412: Failure },
      },
    },
    async (request, reply) => {
      const target = { id: request.params.id, ifMatch: request.headers['if-match'] }
      await deleteRecord(deps, REVIEWS, callerOf(request), target)
      return reply.code(204).send(null)
    },
  )
}
