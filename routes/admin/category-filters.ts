import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import {
  CategoryFilter,
  CategoryFilterInput,
  CategoryFilterMatches,
  CategoryFilterTest,
} from '../../src/schemas/category-filters.ts'
import { ref } from '../../src/schemas/common.ts'
import {
  CATEGORY_FILTERS,
  checkFilter,
  createFilter,
  listFilters,
  testFilter,
} from '../../src/services/catalogue/category-filters.ts'
import { deleteRecord, updateRecord } from '../../src/services/records.ts'
import { recordOperations } from '../record-operations.ts'
import { targetOf } from '../targets.ts'

const operations = recordOperations({
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
})

/** Contract section 4, "Rules". */
export const categoryFilterRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', operations.list, async () => listFilters(deps))
  app.post('/', operations.create, async (request) => createFilter(deps, callerOf(request), request.body))
  app.put('/:id', operations.update, async (request) =>
    updateRecord(deps, CATEGORY_FILTERS, callerOf(request), targetOf(request), request.body),
  )
  app.delete('/:id', operations.delete, async (request) =>
    deleteRecord(deps, CATEGORY_FILTERS, callerOf(request), targetOf(request)),
  )
  app.post('/test', {
    config: { access: 'ADMIN', check: checkFilter },
    schema: {
      operationId: 'testCategoryFilter',
      summary: 'Test a category filter',
      description: 'Lists what it would hide, and changes nothing.',
      body: ref(CategoryFilterTest),
      response: { 200: ref(CategoryFilterMatches) },
    },
    handler: async (request) => testFilter(deps, request.body),
  })
}
