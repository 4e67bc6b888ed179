import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { downloadFeed } from '../src/services/published/download.ts'

const Feed = Type.Unsafe<Readable | undefined>(Type.String({ description: 'YML' }))
const Found = {
  description: 'The feed',
  headers: {
    ETag: Type.String({ description: 'To be sent back as If-None-Match' }),
    'Last-Modified': Type.String({ description: 'When the feed was built' }),
  },
  content: { 'application/xml': { schema: Feed } },
}
const Unchanged = Type.Unsafe<undefined>(Type.Null({ description: 'The caller has this feed' }))

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
          summary: 'Product feed in YML',
          description:
            'Active products with a price, in visible categories. The answer is gzip if the caller takes it, with an ETag; asked again with it, the answer is a 304.',
          response: { 200: Found, 304: Unchanged },
        },
        handler: async (request, reply) => {
          const { status, headers, body } = await downloadFeed(app.deps, method, request.headers)
          return reply.code(status).headers(headers).send(body)
        },
      })
    }
  }
}
