import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { callerOf } from '../plugins/auth.ts'
import {
  Category,
  CategoryInput,
  CategoryMove,
  CategoryOrder,
  CategorySlug,
  UnusedCategories,
} from '../src/schemas/categories.ts'
import { IdParams, NoContent, ref, VersionHeaders } from '../src/schemas/common.ts'
import { Conflict, Failure } from '../src/schemas/errors.ts'
import {
  createCategory,
  deleteCategory,
  regenerateCategorySlug,
  setCategorySlug,
  updateCategory,
} from '../src/services/catalogue/category-editing.ts'
import { moveCategory, reorderCategories } from '../src/services/catalogue/category-order.ts'
import { applyHideUnused, previewHideUnused } from '../src/services/catalogue/category-visibility.ts'
import { targetOf } from './targets.ts'

const config = { access: 'EDITOR' } as const
const one = { params: IdParams, headers: VersionHeaders }
const ifCurrent = 'With `If-Match`, only if nobody else changed it meanwhile.'

/** Specification, "Product and category editing"; contract section 4. */
export const categoryEditingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post(
    '/',
    {
      config,
      schema: {
        operationId: 'createCategory',
        summary: 'Make a category',
        description: 'One of the shop’s own, which no sync touches. Its slug is made from its name.',
        body: ref(CategoryInput),
        response: { 201: ref(Category) },
      },
    },
    async (request, reply) =>
      reply.code(201).json(await createCategory(deps, callerOf(request), request.body)),
  )

  app.put(
    '/:id',
    {
      config,
      schema: {
        ...one,
        operationId: 'updateCategory',
        summary: 'Change a category',
        description: `A category of the supplier's that gets another name or parent is locked, since the next sync would undo it, unless \`categoryLockedByGbstore\` is false. ${ifCurrent}`,
        body: ref(CategoryInput),
        response: { 200: ref(Category), 409: Conflict('CATEGORY_CYCLE'), 412: Failure },
      },
    },
    async (request, reply) =>
      reply.json(await updateCategory(deps, callerOf(request), targetOf(request), request.body)),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        ...one,
        operationId: 'deleteCategory',
        summary: 'Delete a category',
        description: `Its products stay, in no category, and what is right below it comes to the top. One of the supplier's doesn't come back with the next sync. ${ifCurrent}`,
        response: { 204: NoContent, 412: Failure },
      },
    },
    async (request, reply) => {
      await deleteCategory(deps, callerOf(request), targetOf(request))
      return reply.code(204).send(null)
    },
  )

  app.put(
    '/:id/slug',
    {
      config,
      schema: {
        ...one,
        operationId: 'changeCategorySlug',
        summary: 'Give a category another slug',
        description: `The former one leads to it from then on. ${ifCurrent}`,
        body: ref(CategorySlug),
        response: { 200: ref(Category), 409: Conflict('SLUG_TAKEN'), 412: Failure },
      },
    },
    async (request, reply) => {
      const { slug } = request.body
      return reply.json(await setCategorySlug(deps, callerOf(request), targetOf(request), slug))
    },
  )

  app.post(
    '/:id/slug/regenerate',
    {
      config,
      schema: {
        ...one,
        operationId: 'regenerateCategorySlug',
        summary: 'Make the slug of a category from its name again',
        description: `The former one leads to it from then on. ${ifCurrent}`,
        response: { 200: ref(Category), 412: Failure },
      },
    },
    async (request, reply) =>
      reply.json(await regenerateCategorySlug(deps, callerOf(request), targetOf(request))),
  )

  app.post(
    '/:id/move',
    {
      config,
      schema: {
        ...one,
        operationId: 'moveCategory',
        summary: 'Put a category below a parent, at a place among what stands there',
        description: `What stands there is numbered anew from 0. A category of the supplier's that gets another parent is locked, as when it is changed. ${ifCurrent}`,
        body: ref(CategoryMove),
        response: { 200: ref(Category), 409: Conflict('CATEGORY_CYCLE'), 412: Failure },
      },
    },
    async (request, reply) =>
      reply.json(await moveCategory(deps, callerOf(request), targetOf(request), request.body)),
  )

  app.post(
    '/reorder',
    {
      config,
      schema: {
        operationId: 'reorderCategories',
        summary: 'Put everything right below a parent, or at the top, into an order',
        description:
          'Names exactly the categories there, hidden ones too, and at the top those whose parent is missing.',
        body: ref(CategoryOrder),
        response: {
          200: Type.Array(ref(Category), { description: 'What stands there, in its order' }),
          409: Conflict('CHILDREN_DIFFER'),
        },
      },
    },
    async (request, reply) => reply.json(await reorderCategories(deps, callerOf(request), request.body)),
  )

  app.get(
    '/actions/hide-unused/preview',
    {
      config,
      schema: {
        operationId: 'previewHideUnused',
        summary: 'The categories that hold no active product',
        description: 'Those that are switched on and have none in their whole subtree.',
        response: { 200: ref(UnusedCategories) },
      },
    },
    async () => previewHideUnused(deps),
  )

  app.post(
    '/actions/hide-unused/apply',
    {
      config,
      schema: {
        operationId: 'applyHideUnused',
        summary: 'Switch off the categories that hold no active product',
        description: 'Exactly those that the preview would show now; they are in the answer.',
        response: { 200: ref(UnusedCategories) },
      },
    },
    async (request) => applyHideUnused(deps, callerOf(request)),
  )
}
