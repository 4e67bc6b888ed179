import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Failure } from '../src/schemas/errors.ts'
import {
  PublicReview,
  Review,
  ReviewExport,
  ReviewImport,
  ReviewImportResult,
  ReviewInput,
  ReviewPage,
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
import { targetOf } from './targets.ts'

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
        operationId: 'listActiveReviews',
        summary: 'What the storefront shows now',
        description: 'In the order in which they are shown.',
        response: { 200: Type.Array(ref(PublicReview), { description: 'The reviews' }) },
      },
    },
    async () => listActiveReviews(deps),
  )

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listReviews',
        summary: 'All reviews',
        description: 'Those that are not shown too.',
        querystring: ReviewQuery,
        response: { 200: ref(ReviewPage) },
      },
    },
    async (request) => listReviews(deps, request.query),
  )

  app.get(
    '/export',
    {
      config,
      schema: {
        operationId: 'exportReviews',
        summary: 'All reviews as a file that can be imported again',
        description: 'Importing it as it is changes nothing.',
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
        operationId: 'importReviews',
        summary: 'Write the reviews of a file, all or none',
        description: 'A 400 names row and field of what is wrong, and nothing is written then.',
        body: ref(ReviewImport),
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
        operationId: 'getReview',
        summary: 'One review',
        description: "With its version, for a change that loses nobody's work.",
        params: IdParams,
        response: { 200: ref(Review) },
      },
    },
    async (request) => getRecord(deps, REVIEWS, request.params.id),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createReview',
        summary: 'Add a review',
        description: 'Of a product, or of the shop as a whole.',
        body: ref(ReviewInput),
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
        operationId: 'updateReview',
        summary: 'Change a review',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(ReviewInput),
        response: { 200: ref(Review), 412: Failure },
      },
    },
    async (request) => {
      return changeRecord(deps, REVIEWS, callerOf(request), targetOf(request), reviewValues(request.body))
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteReview',
        summary: 'Delete a review',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, REVIEWS, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )
}
