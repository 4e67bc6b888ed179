import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Category, CategoryNode, NavigationCategory } from '../src/schemas/categories.ts'
import { IdParams, ref } from '../src/schemas/common.ts'
import {
  getCategory,
  getCategoryTree,
  getHomepageCategories,
  listAllCategories,
} from '../src/services/catalogue/categories.ts'

const config = { access: 'public' } as const

/** Contract section 4. */
export const categoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config: { ...config, optionalToken: true },
      schema: {
        operationId: 'listCategories',
        summary: 'All categories; without an editor’s role only visible ones and public fields',
        description:
          'In tree order, as a flat list. Staff get hidden ones too, with the fields that only they see.',
        response: { 200: Type.Array(ref(Category), { description: 'The categories' }) },
      },
    },
    async (request, reply) => reply.json(await listAllCategories(deps, isByStaff(request))),
  )

  app.get(
    '/tree',
    {
      config,
      schema: {
        operationId: 'getCategoryTree',
        summary: 'Visible categories, nested',
        description:
          'Each category with what is below it under `children`, ordered by displayOrder, then name.',
        response: { 200: Type.Array(ref(CategoryNode), { description: 'Where navigation begins' }) },
      },
    },
    async (_request, reply) => reply.json(await getCategoryTree(deps)),
  )

  app.get(
    '/homepage',
    {
      config,
      schema: {
        operationId: 'listHomepageCategories',
        summary: 'Visible categories of the homepage’s block',
        description: 'As a flat list, in tree order.',
        response: { 200: Type.Array(ref(NavigationCategory), { description: 'The categories' }) },
      },
    },
    async (_request, reply) => reply.json(await getHomepageCategories(deps)),
  )

  app.get(
    '/:id',
    {
      config: { access: 'EDITOR' },
      schema: {
        operationId: 'getCategory',
        summary: 'A category with all its fields',
        description: 'Also a hidden one.',
        params: IdParams,
        response: { 200: ref(Category) },
      },
    },
    async (request, reply) => reply.json(await getCategory(deps, request.params.id)),
  )
}
