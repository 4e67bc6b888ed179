import { callerOf, isByStaff } from '../plugins/auth.ts'
import * as wire from '../src/schemas/categories.ts'
import { List, ref } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import * as categories from '../src/services/catalogue/categories.ts'
import * as editing from '../src/services/catalogue/category-editing.ts'
import { applyHideUnused, previewHideUnused } from '../src/services/catalogue/category-visibility.ts'
import { routes } from './endpoints.ts'
import { recordRoutes, slugRoutes, targetOf, VERSIONED } from './record-routes.ts'

const category = { name: 'category' }

/** Specification, "Product and category editing"; contract section 4. */
export const categoryRoutes = routes('EDITOR', (app, deps) => {
  app.cached('/', {
    operationId: 'listCategories',
    summary: 'List categories',
    description: 'A flat list in tree order. Only staff get hidden categories and the staff fields.',
    response: { 200: List(wire.Category, 'The categories') },
    handler: async (request, reply) => reply.cacheable(await categories.listAllCategories(deps, isByStaff(request))),
  })

  app.cached('/tree', {
    operationId: 'getCategoryTree',
    summary: 'Get the tree of visible categories',
    description: 'Ordered by displayOrder, then name. The settings `category_tree_*` choose the root.',
    response: { 200: List(wire.CategoryNode, 'The top level of the navigation') },
    handler: async (_request, reply) => reply.cacheable(await categories.getCategoryTree(deps)),
  })

  app.cached('/homepage', {
    operationId: 'listHomepageCategories',
    summary: 'List the visible categories of the homepage block',
    description: 'A flat list in tree order.',
    response: { 200: List(wire.NavigationCategory, 'The categories') },
    handler: async (_request, reply) => reply.cacheable(await categories.getHomepageCategories(deps)),
  })

  recordRoutes(app, {
    ...category,
    schemas: { record: wire.Category, input: wire.CategoryInput },
    notes: {
      create: 'The sync never changes it. Its slug is generated from its name.',
      update:
        "Absent fields keep their values. A new name or parent locks a supplier's category against the sync, unless `categoryLockedByGbstore` is false.",
      delete:
        "Its products are left without a category; its children move to the top level. The sync does not bring a supplier's category back.",
    },
    conflicts: { update: ['CATEGORY_CYCLE'] },
    get: categories.getCategory,
    create: editing.createCategory,
    update: editing.updateCategory,
    delete: editing.deleteCategory,
  })
  slugRoutes(app, { ...category, record: wire.Category, setSlug: editing.setCategorySlug })

  app.post('/:id/move', {
    ...VERSIONED,
    operationId: 'moveCategory',
    summary: 'Move a category',
    description: "Its new siblings are renumbered from 0. A new parent locks a supplier's category against the sync.",
    body: ref(wire.CategoryMove),
    response: { 200: ref(wire.Category), 409: Conflict('CATEGORY_CYCLE') },
    handler: async (request) => editing.moveCategory(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/reorder', {
    operationId: 'reorderCategories',
    summary: 'Reorder the children of a category',
    description: '`ids` names all, hidden ones too; at the top level also orphans.',
    body: ref(wire.CategoryOrder),
    response: {
      200: List(wire.Category, 'The children in their new order'),
      409: Conflict('CHILDREN_DIFFER'),
    },
    handler: async (request) => editing.reorderCategories(deps, callerOf(request), request.body),
  })

  app.get('/actions/hide-unused/preview', {
    operationId: 'previewHideUnused',
    summary: 'List the categories that hide-unused would disable',
    description: 'Enabled ones without an active product in their subtree.',
    response: { 200: ref(wire.ListedCategories) },
    handler: async () => previewHideUnused(deps),
  })

  app.post('/actions/hide-unused/apply', {
    operationId: 'applyHideUnused',
    summary: 'Disable the categories without active products',
    description: 'Disables exactly what the preview would list now, and returns it.',
    response: { 200: ref(wire.ListedCategories) },
    handler: async (request) => applyHideUnused(deps, callerOf(request)),
  })
})
