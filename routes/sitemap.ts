import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Prebuilt, SitemapPartParams, Unchanged } from '../src/schemas/published.ts'
import { downloadSitemap } from '../src/services/published/download.ts'
import { robotsTxt } from '../src/services/published/sitemap.ts'

const config = { access: 'public' } as const

/** Files for search engines (contract section 11). */
export const sitemapRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.route({
    method: ['GET', 'HEAD'],
    url: '/sitemap.xml',
    config,
    schema: {
      operationId: 'getSitemap',
      summary: 'Get the sitemap',
      description:
        'Lists visible categories, tags and up to 45 000 active products, newest first. An index of parts if one file is not enough. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
      response: { 200: Prebuilt('The sitemap, or the index of its parts'), 304: Unchanged },
    },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadSitemap(deps, request)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/sitemap-:part.xml',
    config,
    schema: {
      operationId: 'getSitemapPart',
      summary: 'Get a part of the sitemap',
      description: 'Answers 404 if the sitemap is a single file.',
      params: SitemapPartParams,
      response: { 200: Prebuilt('A part of the sitemap'), 304: Unchanged },
    },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadSitemap(deps, request, request.params.part)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })

  app.get('/robots.txt', {
    config,
    schema: {
      operationId: 'getRobots',
      summary: 'Get robots.txt',
      response: {
        200: {
          description: 'robots.txt',
          content: { 'text/plain': { schema: Type.String({ description: 'The rules' }) } },
        },
      },
    },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(deps)),
  })
}
