import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CategoryFilter,
  CategoryFilterInput,
  CategoryFilterMatches,
} from '../../src/schemas/category-filters.ts'
import { ref } from '../../src/schemas/common.ts'
import {
  CATEGORY_FILTERS,
  checkFilter,
  createFilter,
  listFilters,
  testFilter,
} from '../../src/services/catalogue/category-filters.ts'

import { recordUseCases } from '../../src/services/records.ts'
import { recordRoutes } from '../record-routes.ts'

/** Contract section 4, "Rules". */
export const categoryFilterRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  recordRoutes(app, {
    access: 'ADMIN',
    id: 'CategoryFilter',
    name: 'category filter',
    record: CategoryFilter,
    input: CategoryFilterInput,
    check: checkFilter,
    notes: {
      list: 'By id, inactive ones included.',
      create: 'Hides the categories that match, and those below them, at once. At most 200 filters.',
      delete: 'Categories that no other filter hides become visible.',
    },
    conflicts: { create: 'TOO_MANY_FILTERS' },
    list: listFilters,
    ...recordUseCases(CATEGORY_FILTERS),
    create: createFilter,
  })
  app.post('/test', {
    config: { access: 'ADMIN', check: checkFilter },
    schema: {
      operationId: 'testCategoryFilter',
      summary: 'Test a category filter',
      description: 'Lists what it would hide, and changes nothing.',
      body: ref(CategoryFilterInput),
      response: { 200: ref(CategoryFilterMatches) },
    },
    handler: async (request) => testFilter(deps, request.body),
  })
}
