import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { ref } from '../src/schemas/common.ts'
import { Home } from '../src/schemas/health.ts'

const PLACES = {
  storefront: '/api/v1/products',
  categories: '/api/v1/categories/tree',
  feed: '/api/v1/yml-catalog.xml',
  description: '/swagger-ui.html',
  openapi: '/v3/api-docs',
  health: '/health/ready',
} as const

const IN_WORDS: Record<keyof typeof PLACES, string> = {
  storefront: 'Products, as the storefront asks for them',
  categories: 'The tree of categories',
  feed: 'The feed for price comparison services (YML)',
  description: 'All endpoints, to read and to try (Swagger UI)',
  openapi: 'The same for programs (OpenAPI)',
  health: 'Whether the service is ready',
}

const Page = Type.String({ description: 'The same as a page' })
const Found = {
  description: 'Where things are',
  content: { 'application/json': { schema: ref(Home) }, 'text/html': { schema: Page } },
}

const listed = Object.entries(PLACES).map(
  ([name, path]) => `<li><a href="${path}">${path}</a>: ${Reflect.get(IN_WORDS, name)}</li>`,
)
const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Shop backend</title>
<h1>Shop backend</h1>
<ul>
${listed.join('\n')}
</ul>
</html>
`

/** For whoever opens the address of the server: where things are. */
export const homeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getHome',
        summary: 'Where things are: a page for people, JSON for programs',
        description: 'A program that says nothing of HTML gets JSON.',
        response: { 200: Found },
      },
    },
    async (request, reply) => {
      const others = reply.getHeader('vary') ?? []
      reply.header('vary', [others, 'Accept'].flat().join(', '))
      if (!request.headers.accept?.includes('text/html')) return { name: 'Shop backend', links: PLACES }
      return reply.type('text/html; charset=utf-8').send(PAGE)
    },
  )
}
