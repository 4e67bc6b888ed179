import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Unchanged } from '../src/schemas/common.ts'
import { PublishedFile } from '../src/schemas/published.ts'
import { downloadPublication } from '../src/services/published/publishing.ts'

/** See docs/published.md. */
export const sitemapRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.route({
    method: ['GET', 'HEAD'],
    url: '/sitemap.xml',
    schema: {
      operationId: 'getSitemap',
      summary: 'Get the sitemap',
      description:
        'Lists visible categories, tags and up to 45 000 active products, newest first. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
      response: { 200: PublishedFile, 304: Unchanged },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadPublication(deps, 'sitemap', request)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })
}
