import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { isByStaff } from '../plugins/auth.ts'
import { CACHEABLE } from '../plugins/http-caching.ts'
import { Category, CategoryNode, NavigationCategory } from '../src/schemas/categories.ts'
import { List } from '../src/schemas/common.ts'
import {
  getCategoryTree,
  getHomepageCategories,
  listAllCategories,
} from '../src/services/catalogue/categories.ts'

/** Contract section 4. */
export const categoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config: CACHEABLE,
    schema: {
      operationId: 'listCategories',
      summary: 'List categories',
      description: 'A flat list in tree order. Only staff get hidden categories and the staff fields.',
      response: { 200: List(Category, 'The categories') },
    },
    handler: async (request, reply) => reply.cacheable(await listAllCategories(deps, isByStaff(request))),
  })

  app.get('/tree', {
    config: CACHEABLE,
    schema: {
      operationId: 'getCategoryTree',
      summary: 'Get the tree of visible categories',
      description: 'Ordered by displayOrder, then name. The settings `category_tree_*` choose the root.',
      response: { 200: List(CategoryNode, 'The top level of the navigation') },
    },
    handler: async (_request, reply) => reply.cacheable(await getCategoryTree(deps)),
  })

  app.get('/homepage', {
    config: CACHEABLE,
    schema: {
      operationId: 'listHomepageCategories',
      summary: 'List the visible categories of the homepage block',
      description: 'A flat list in tree order.',
      response: { 200: List(NavigationCategory, 'The categories') },
    },
    handler: async (_request, reply) => reply.cacheable(await getHomepageCategories(deps)),
  })
}
