import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { downloadFeed } from '../src/services/published/download.ts'

const Feed = Type.Unsafe<Readable | undefined>(
  Type.String({ description: 'YML, gzip if the caller takes it' }),
)
const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'The caller has this feed' }))

/** The same feed under two names (specification, "Catalogue (public reads)"). */
export const ymlCatalogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [url, operation] of [
    ['/yml-catalog', 'YmlCatalog'],
    ['/yml-catalog.xml', 'YmlCatalogXml'],
  ] as const) {
    for (const method of ['GET', 'HEAD'] as const) {
      app.route({
        method,
        url,
        exposeHeadRoute: false,
        config: { access: 'public', swagger: { exposeHeadRoute: true } },
        schema: {
          tags: ['feed'],
          operationId: `${method.toLowerCase()}${operation}`,
          summary: 'Product feed in YML',
          response: { 200: { content: { 'application/xml': { schema: Feed } } }, 304: Unchanged },
        },
        handler: async (request, reply) => {
          const { status, headers, body } = await downloadFeed(app.deps, method, request.headers)
          return reply.code(status).headers(headers).send(body)
        },
      })
    }
  }
}
