import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { Prebuilt, SitemapPartParams, Unchanged } from '../src/schemas/published.ts'
import { downloadSitemap } from '../src/services/published/download.ts'
import { robotsTxt } from '../src/services/published/robots.ts'

const config = { access: 'public', swagger: { exposeHeadRoute: true } } as const

/** What search engines fetch (contract section 11). */
export const sitemapRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  for (const method of ['GET', 'HEAD'] as const) {
    app.route({
      method,
      url: '/sitemap.xml',
      exposeHeadRoute: false,
      config,
      schema: {
        tags: ['feed'],
        operationId: 'getSitemap',
        summary: 'Addresses of the storefront, for search engines',
        description:
          'Visible categories, tags, and up to 45 000 active products, the newest first; an index of parts when they are too many for one file. The answer is gzip if the caller takes it, with an ETag; asked again with it, the answer is a 304.',
        response: { 200: Prebuilt('The sitemap, or the index of its parts'), 304: Unchanged },
      },
      handler: async (request, reply) => {
        const { status, headers, body } = await downloadSitemap(deps, request)
        return reply.code(status).headers(headers).send(body)
      },
    })

    app.route({
      method,
      url: '/sitemap-:part.xml',
      exposeHeadRoute: false,
      config,
      schema: {
        tags: ['feed'],
        operationId: 'getSitemapPart',
        summary: 'A part of the sitemap that its index names',
        description: 'A 404 where the sitemap has no such part, or is a single file.',
        params: SitemapPartParams,
        response: { 200: Prebuilt('A part of the sitemap'), 304: Unchanged },
      },
      handler: async (request, reply) => {
        const { status, headers, body } = await downloadSitemap(deps, request, request.params.part)
        return reply.code(status).headers(headers).send(body)
      },
    })
  }

  app.get(
    '/robots.txt',
    {
      config: { access: 'public' },
      schema: {
        tags: ['feed'],
        operationId: 'getRobots',
        summary: 'What search engines may look at, and where the sitemap is',
        description: 'Everything but administration, accounts, carts and orders.',
        response: {
          200: {
            description: 'robots.txt',
            content: { 'text/plain': { schema: Type.String({ description: 'The rules' }) } },
          },
        },
      },
    },
    async (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(deps)),
  )
}
