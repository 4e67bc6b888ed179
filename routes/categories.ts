import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { isByStaff } from '../plugins/auth.ts'
import { Category, CategoryNode, NavigationCategory } from '../src/schemas/categories.ts'
import { Failure, IdParams, ref } from '../src/schemas/common.ts'
import {
  getCategory,
  getCategoryTree,
  getHomepageCategories,
  listAllCategories,
} from '../src/services/catalogue/categories.ts'

const tags = ['categories']
const config = { access: 'public' } as const

/** Contract section 4. */
export const categoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listCategories',
        summary: 'All categories; without an editor’s role only visible ones and public fields',
        response: { 200: Type.Array(ref(Category)) },
      },
    },
    async (request, reply) => reply.json(await listAllCategories(deps, isByStaff(request))),
  )

  app.get(
    '/tree',
    {
      config,
      schema: {
        tags,
        operationId: 'getCategoryTree',
        summary: 'Visible categories, nested',
        response: { 200: Type.Array(ref(CategoryNode)) },
      },
    },
    async (_request, reply) => reply.json(await getCategoryTree(deps)),
  )

  app.get(
    '/homepage',
    {
      config,
      schema: {
        tags,
        operationId: 'listHomepageCategories',
        summary: 'Visible categories of the homepage’s block',
        response: { 200: Type.Array(ref(NavigationCategory)) },
      },
    },
    async (_request, reply) => reply.json(await getHomepageCategories(deps)),
  )

  app.get(
    '/:id',
    {
      config: { access: 'EDITOR' },
      schema: {
        tags,
        operationId: 'getCategory',
        summary: 'A category with all its fields',
        params: IdParams,
        response: { 200: ref(Category), 404: Failure },
      },
    },
    async (request, reply) => reply.json(await getCategory(deps, request.params.id)),
  )
}
