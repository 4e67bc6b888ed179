import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../../plugins/auth.ts'
import {
  CategoryFilter,
  CategoryFilterInput,
  CategoryFilterMatches,
  CategoryFilterTest,
} from '../../src/schemas/category-filters.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../../src/schemas/common.ts'
import { Conflict, Failure } from '../../src/schemas/errors.ts'
import {
  CATEGORY_FILTERS,
  createFilter,
  filterValues,
  listFilters,
  testFilter,
} from '../../src/services/catalogue/category-filters.ts'
import { changeRecord, deleteRecord } from '../../src/services/content/records.ts'
import { targetOf } from '../targets.ts'

const config = { access: 'ADMIN' } as const

/** Contract section 4, "Rules". What they hide shows at once. */
export const categoryFilterRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        operationId: 'listCategoryFilters',
        summary: 'All rules that hide categories',
        description: 'In the order in which they were made, those that are not active too.',
        response: { 200: Type.Array(ref(CategoryFilter), { description: 'The rules' }) },
      },
    },
    async () => listFilters(deps),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createCategoryFilter',
        summary: 'Make a rule',
        description: 'The categories that it matches are hidden, with what is below them. At most 200 rules.',
        body: ref(CategoryFilterInput),
        response: { 201: ref(CategoryFilter), 409: Conflict('TOO_MANY_FILTERS') },
      },
    },
    async (request, reply) => reply.code(201).send(await createFilter(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        operationId: 'updateCategoryFilter',
        summary: 'Change a rule',
        description: 'With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        body: ref(CategoryFilterInput),
        response: { 200: ref(CategoryFilter), 412: Failure },
      },
    },
    async (request) => {
      const values = filterValues(request.body)
      return changeRecord(deps, CATEGORY_FILTERS, callerOf(request), targetOf(request), values)
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        operationId: 'deleteCategoryFilter',
        summary: 'Delete a rule',
        description:
          'What only it hid is shown again. With `If-Match`, only if nobody else changed it meanwhile.',
        params: IdParams,
        headers: VersionHeaders,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteRecord(deps, CATEGORY_FILTERS, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/test',
    {
      config,
      schema: {
        operationId: 'testCategoryFilter',
        summary: 'Try out a rule',
        description: 'What it would hide; nothing is changed.',
        body: ref(CategoryFilterTest),
        response: { 200: ref(CategoryFilterMatches) },
      },
    },
    async (request) => testFilter(deps, request.body),
  )
}
