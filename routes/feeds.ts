import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FileOf, Text, Unchanged } from '../src/schemas/common.ts'
import { downloadPublication } from '../src/services/published/publishing.ts'
import { robotsTxt } from '../src/services/published/sitemap.ts'

const OFFERS = 'Contains active products with a price in visible categories.'
const YML = {
  kind: 'feed',
  summary: 'Get the product feed in YML',
  description: OFFERS,
  found: 'The feed, as YML',
} as const
const GOOGLE_MERCHANT = {
  kind: 'google-merchant',
  summary: 'Get the product feed for Google Merchant Center',
  description: OFFERS,
  found: 'The feed, as RSS 2.0 with the namespace `g`',
} as const
const SITEMAP = {
  kind: 'sitemap',
  summary: 'Get the sitemap',
  description: 'Lists visible categories, tags and up to 45 000 active products, newest first.',
  found: 'The sitemap',
} as const

const headers = { ETag: Text('For `If-None-Match`'), 'Last-Modified': Text('Time of the build') }

const PUBLICATIONS = [
  // The same feed under two names (specification, "Catalogue (public reads)").
  ['/api/v1/yml-catalog', 'getYmlCatalog', YML],
  ['/api/v1/yml-catalog.xml', 'getYmlCatalogXml', YML],
  ['/api/v1/google-merchant.xml', 'getGoogleMerchantFeed', GOOGLE_MERCHANT],
  ['/sitemap.xml', 'getSitemap', SITEMAP],
] as const

/** Files for other sites and for search engines (contract sections 8, "Feed", 11 and 14). */
export const feedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app
  for (const [url, operationId, { kind, summary, description, found }] of PUBLICATIONS) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access: 'public' },
      schema: {
        operationId,
        summary,
        description: `${description} Supports gzip, \`If-None-Match\` and \`If-Modified-Since\`.`,
        response: { 200: FileOf<Readable | undefined>('application/xml', found, headers), 304: Unchanged },
      },
      handler: async (request, reply) => {
        const { status, headers, body } = await downloadPublication(deps, kind, request)
        return reply.code(status).addHeaders(headers).send(body)
      },
    })
  }

  app.get('/robots.txt', {
    config: { access: 'public' },
    schema: {
      operationId: 'getRobots',
      summary: 'Get robots.txt',
      response: { 200: FileOf<string>('text/plain', 'The rules for crawlers') },
    },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(deps)),
  })
}
