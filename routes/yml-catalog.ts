import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Prebuilt, Unchanged } from '../src/schemas/published.ts'
import { downloadFeed } from '../src/services/published/download.ts'

/** The same feed under two names (specification, "Catalogue (public reads)"). */
export const ymlCatalogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [url, operationId] of [
    ['/yml-catalog', 'getYmlCatalog'],
    ['/yml-catalog.xml', 'getYmlCatalogXml'],
  ] as const) {
    for (const method of ['GET', 'HEAD'] as const) {
      app.route({
        method,
        url,
        exposeHeadRoute: false,
        config: { access: 'public', swagger: { exposeHeadRoute: true } },
        schema: {
          tags: ['feed'],
          operationId,
          summary: 'Get the product feed in YML',
          description:
            'Contains active products with a price in visible categories. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
          response: { 200: Prebuilt('The feed, as YML'), 304: Unchanged },
        },
        handler: async (request, reply) => {
          const { status, headers, body } = await downloadFeed(app.deps, request)
          return reply.code(status).addHeaders(headers).send(body)
        },
      })
    }
  }
}
