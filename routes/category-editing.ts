import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../plugins/auth.ts'
import {
  Category,
  CategoryInput,
  CategoryMove,
  CategoryOrder,
  UnusedCategories,
} from '../src/schemas/categories.ts'
import { List, ref } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import { SlugChoice } from '../src/schemas/product-editing.ts'
import { getCategory } from '../src/services/catalogue/categories.ts'
import {
  checkCategory,
  createCategory,
  deleteCategory,
  moveCategory,
  reorderCategories,
  setCategorySlug,
  updateCategory,
} from '../src/services/catalogue/category-editing.ts'
import { applyHideUnused, previewHideUnused } from '../src/services/catalogue/category-visibility.ts'
import { recordRoutes } from './record-routes.ts'
import { targetOf, VERSIONED } from './targets.ts'

const config = { access: 'EDITOR' } as const
const edited = { 200: ref(Category) }

/** Specification, "Product and category editing"; contract section 4. */
export const categoryEditingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  recordRoutes(app, {
    access: 'EDITOR',
    id: 'Category',
    name: 'category',
    record: Category,
    input: CategoryInput,
    check: checkCategory,
    notes: {
      create: 'The sync never changes it. Its slug is generated from its name.',
      update:
        'Absent fields stay as they are. A new name or parent locks a supplier’s category against the sync, unless `categoryLockedByGbstore` is false.',
      delete:
        'Its products remain without a category, its children move to the top. The sync does not bring a supplier’s category back.',
    },
    conflicts: { update: 'CATEGORY_CYCLE' },
    get: getCategory,
    create: createCategory,
    update: updateCategory,
    delete: deleteCategory,
  })

  app.put('/:id/slug', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'changeCategorySlug',
      summary: 'Set the slug of a category',
      description: 'The former slug redirects to it.',
      body: ref(SlugChoice),
      response: { ...edited, 409: Conflict('SLUG_TAKEN') },
    },
    handler: async (request) =>
      setCategorySlug(deps, callerOf(request), targetOf(request), request.body.slug),
  })

  app.post('/:id/slug/regenerate', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'regenerateCategorySlug',
      summary: 'Regenerate the slug of a category from its name',
      description: 'The former slug redirects to it.',
      response: edited,
    },
    handler: async (request) => setCategorySlug(deps, callerOf(request), targetOf(request)),
  })

  app.post('/:id/move', {
    config,
    schema: {
      ...VERSIONED,
      operationId: 'moveCategory',
      summary: 'Move a category',
      description:
        'Its new siblings are renumbered from 0. A new parent locks a supplier’s category against the sync, unless `categoryLockedByGbstore` is false.',
      body: ref(CategoryMove),
      response: { ...edited, 409: Conflict('CATEGORY_CYCLE') },
    },
    handler: async (request) => moveCategory(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/reorder', {
    config,
    schema: {
      operationId: 'reorderCategories',
      summary: 'Reorder the children of a category',
      description: '`ids` names all of them, hidden ones too; at the top also those whose parent is missing.',
      body: ref(CategoryOrder),
      response: {
        200: List(Category, 'The children in their new order'),
        409: Conflict('CHILDREN_DIFFER'),
      },
    },
    handler: async (request) => reorderCategories(deps, callerOf(request), request.body),
  })

  app.get('/actions/hide-unused/preview', {
    config,
    schema: {
      operationId: 'previewHideUnused',
      summary: 'List the categories that hide-unused would disable',
      description: 'Enabled ones without an active product in their subtree.',
      response: { 200: ref(UnusedCategories) },
    },
    handler: async () => previewHideUnused(deps),
  })

  app.post('/actions/hide-unused/apply', {
    config,
    schema: {
      operationId: 'applyHideUnused',
      summary: 'Disable the categories without active products',
      description: 'Disables exactly what the preview would list now, and returns it.',
      response: { 200: ref(UnusedCategories) },
    },
    handler: async (request) => applyHideUnused(deps, callerOf(request)),
  })
}
