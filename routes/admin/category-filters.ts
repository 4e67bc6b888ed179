import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { ListedCategories } from '../../src/schemas/categories.ts'
import { CategoryFilter, CategoryFilterInput } from '../../src/schemas/category-filters.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import {
  checkFilter,
  createCategoryFilter,
  deleteCategoryFilter,
  listCategoryFilters,
  updateCategoryFilter,
} from '../../src/services/catalogue/category-filters.ts'
import { testFilter } from '../../src/services/catalogue/category-visibility.ts'

/** See docs/catalogue.md. */
export const categoryFilterRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listCategoryFilters',
      summary: 'List category filters',
      description: 'By id, inactive ones included.',
      response: { 200: List(CategoryFilter, 'The category filters') },
    },
    config: { access: 'ADMIN', permission: 'settings' },
    handler: async () => listCategoryFilters(deps),
  })

  app.post('/', {
    schema: {
      operationId: 'createCategoryFilter',
      summary: 'Create a category filter',
      description: 'Hides the matching categories, and those below them, at once.',
      body: ref(CategoryFilterInput),
      response: { 201: ref(CategoryFilter) },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkFilter },
    handler: async (request, reply) =>
      reply.code(201).send(await createCategoryFilter(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateCategoryFilter',
      summary: 'Update a category filter',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(CategoryFilterInput),
      response: { 200: ref(CategoryFilter) },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkFilter },
    handler: async (request) => updateCategoryFilter(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteCategoryFilter',
      summary: 'Delete a category filter',
      description: 'Categories that no other filter hides become visible.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'settings' },
    handler: async (request, reply) => {
      await deleteCategoryFilter(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.post('/test', {
    schema: {
      operationId: 'testCategoryFilter',
      summary: 'Test a category filter',
      description: 'Lists what it would hide without hiding it.',
      body: ref(CategoryFilterInput),
      response: { 200: ref(ListedCategories) },
    },
    config: { access: 'ADMIN', permission: 'settings', check: checkFilter },
    handler: async (request) => testFilter(deps, request.body),
  })
}
