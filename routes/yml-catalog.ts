import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Unchanged } from '../src/schemas/common.ts'
import { PublishedFile } from '../src/schemas/published.ts'
import { downloadPublication } from '../src/services/published/publishing.ts'

/** The same feed under two names (docs/published.md). */
export const ymlCatalogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.route({
    method: ['GET', 'HEAD'],
    url: '/yml-catalog',
    schema: {
      operationId: 'getYmlCatalog',
      summary: 'Get the product feed in YML',
      description:
        'Contains active products with a price in visible categories. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
      response: { 200: PublishedFile, 304: Unchanged },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadPublication(deps, 'feed', request)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/yml-catalog.xml',
    schema: {
      operationId: 'getYmlCatalogXml',
      summary: 'Get the product feed in YML',
      description:
        'Contains active products with a price in visible categories. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
      response: { 200: PublishedFile, 304: Unchanged },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadPublication(deps, 'feed', request)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })
}
