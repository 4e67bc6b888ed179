import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ref } from '../src/schemas/common.ts'
import { Home } from '../src/schemas/health.ts'

const LINKS = {
  storefront: '/api/v1/products',
  categories: '/api/v1/categories/tree',
  feed: '/api/v1/yml-catalog.xml',
  description: '/swagger-ui.html',
  openapi: '/v3/api-docs',
  health: '/health/ready',
} as const

const Page = Type.String({ description: 'The same links as a page' })
const Found = {
  description: 'Links to the parts of the API',
  content: { 'application/json': { schema: ref(Home) }, 'text/html': { schema: Page } },
}

const listed = Object.entries(LINKS).map(([name, path]) => `<li><a href="${path}">${path}</a>: ${name}</li>`)
const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Shop backend</title>
<h1>Shop backend</h1>
<ul>
${listed.join('\n')}
</ul>
</html>
`

/** Links for people who open the server's address in a browser. */
export const homeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/', {
    config: { access: 'public' },
    schema: {
      operationId: 'getHome',
      summary: 'List the parts of the API',
      description: 'HTML if the client accepts it, otherwise JSON.',
      response: { 200: Found },
    },
    handler: async (request, reply) => {
      reply.addHeaders({ vary: 'Accept' })
      if (!request.headers.accept?.includes('text/html')) return { name: 'Shop backend', links: LINKS }
      return reply.type('text/html; charset=utf-8').send(PAGE)
    },
  })
}
