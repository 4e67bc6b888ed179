import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf, isByStaff } from '../plugins/auth.ts'
import * as wire from '../src/schemas/categories.ts'
import { ForCaller, IdParams, List, NoContent, ref } from '../src/schemas/common.ts'
import { Conflict } from '../src/schemas/errors.ts'
import { SlugChoice } from '../src/schemas/product-editing.ts'
import { SlugParams } from '../src/schemas/products.ts'
import { targetOf, VersionHeaders } from '../src/schemas/versions.ts'
import * as categories from '../src/services/catalogue/categories.ts'
import * as editing from '../src/services/catalogue/category-editing.ts'
import { applyHideUnused, previewHideUnused } from '../src/services/catalogue/category-visibility.ts'

/** See docs/catalogue.md. */
export const categoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listCategories',
      summary: 'List categories',
      description: 'A flat list in tree order. Only staff get hidden categories and the staff fields.',
      response: { 200: ForCaller(wire.Categories, wire.StaffCategories) },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => reply.cacheable(await categories.listAllCategories(deps, isByStaff(request))),
  })

  app.get('/tree', {
    schema: {
      operationId: 'getCategoryTree',
      summary: 'Get the tree of visible categories',
      description: 'Ordered by displayOrder, then name. The settings `category_tree_*` choose the root.',
      response: { 200: wire.CategoryTree },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (_request, reply) => reply.cacheable(await categories.getCategoryTree(deps)),
  })

  app.get('/homepage', {
    schema: {
      operationId: 'listHomepageCategories',
      summary: 'List the visible categories of the homepage block',
      description: 'A flat list in tree order.',
      response: { 200: wire.NavigationCategories },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (_request, reply) => reply.cacheable(await categories.getHomepageCategories(deps)),
  })

  app.get('/:id', {
    schema: {
      operationId: 'getCategory',
      summary: 'Get a category',
      params: IdParams,
      response: { 200: ref(wire.StaffCategory) },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => categories.getCategory(deps, request.params.id),
  })

  app.post('/', {
    schema: {
      operationId: 'createCategory',
      summary: 'Create a category',
      description: 'The sync never changes it. Its slug is generated from its name.',
      body: ref(wire.CategoryInput),
      response: { 201: ref(wire.StaffCategory) },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request, reply) =>
      reply.code(201).send(await editing.createCategory(deps, callerOf(request), request.body)),
  })

  app.put('/:id', {
    schema: {
      operationId: 'updateCategory',
      summary: 'Update a category',
      description:
        "Absent fields keep their values. A new name or parent locks a supplier's category against the sync, unless `categoryLockedByGbstore` is false.",
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.CategoryInput),
      response: { 200: ref(wire.StaffCategory), 409: Conflict('CATEGORY_CYCLE') },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => editing.updateCategory(deps, callerOf(request), targetOf(request), request.body),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteCategory',
      summary: 'Delete a category',
      description:
        "Its products are left without a category; its children move to the top level. The sync does not bring a supplier's category back.",
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request, reply) => {
      await editing.deleteCategory(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.put('/:id/slug', {
    schema: {
      operationId: 'setCategorySlug',
      summary: 'Set the slug of a category',
      description: 'The former slug redirects to it.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(SlugChoice),
      response: { 200: ref(wire.StaffCategory), 409: Conflict('SLUG_TAKEN') },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => editing.setCategorySlug(deps, callerOf(request), targetOf(request), request.body.slug),
  })

  app.post('/:id/slug/regenerate', {
    schema: {
      operationId: 'regenerateCategorySlug',
      summary: 'Regenerate the slug of a category from its name',
      description: 'The former slug redirects to it.',
      params: IdParams,
      headers: VersionHeaders,
      response: { 200: ref(wire.StaffCategory) },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => editing.setCategorySlug(deps, callerOf(request), targetOf(request)),
  })

  app.post('/:id/move', {
    schema: {
      params: IdParams,
      headers: VersionHeaders,
      operationId: 'moveCategory',
      summary: 'Move a category',
      description: "Its new siblings are renumbered from 0. A new parent locks a supplier's category against the sync.",
      body: ref(wire.CategoryMove),
      response: { 200: ref(wire.StaffCategory), 409: Conflict('CATEGORY_CYCLE') },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => editing.moveCategory(deps, callerOf(request), targetOf(request), request.body),
  })

  app.post('/reorder', {
    schema: {
      operationId: 'reorderCategories',
      summary: 'Reorder the children of a category',
      description: '`ids` names all, hidden ones too; at the top level also orphans.',
      body: ref(wire.CategoryOrder),
      response: {
        200: List(wire.StaffCategory, 'The children in their new order'),
        409: Conflict('CHILDREN_DIFFER'),
      },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => editing.reorderCategories(deps, callerOf(request), request.body),
  })

  app.get('/actions/hide-unused/preview', {
    schema: {
      operationId: 'previewHideUnused',
      summary: 'List the categories that hide-unused would disable',
      description: 'Enabled ones without an active product in their subtree.',
      response: { 200: ref(wire.ListedCategories) },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async () => previewHideUnused(deps),
  })

  app.post('/actions/hide-unused/apply', {
    schema: {
      operationId: 'applyHideUnused',
      summary: 'Disable the categories without active products',
      description: 'Disables exactly what the preview would list now, and returns it.',
      response: { 200: ref(wire.ListedCategories) },
    },
    config: { access: 'EDITOR', permission: 'categories' },
    handler: async (request) => applyHideUnused(deps, callerOf(request)),
  })

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getCategoryBySlug',
      summary: 'Get a category by its slug',
      description: 'A former slug redirects to the current one. A hidden record is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(wire.CategoryPage, wire.StaffCategoryPage), 301: Type.Null() },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const found = await categories.getCategoryBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply.header('cache-control', 'no-cache').redirect(`/api/v1/categories/by-slug/${found.movedTo}`, 301)
    },
  })
}

/** Pages by slug, without the prefix of the API too (docs/accounts.md). */
export const categoryAliasRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/by-slug/:slug', {
    schema: {
      operationId: 'getCategoryBySlugWithoutPrefix',
      summary: 'Get a category by its slug',
      description: 'A former slug redirects to the current one. A hidden record is a 404 for the public.',
      params: SlugParams,
      response: { 200: ForCaller(wire.CategoryPage, wire.StaffCategoryPage), 301: Type.Null() },
    },
    config: { access: 'public', optionalToken: true, cacheable: true },
    handler: async (request, reply) => {
      const found = await categories.getCategoryBySlug(deps, request.params.slug, isByStaff(request))
      if ('body' in found) return reply.cacheable(found.body)
      return reply.header('cache-control', 'no-cache').redirect(`/categories/by-slug/${found.movedTo}`, 301)
    },
  })
}
