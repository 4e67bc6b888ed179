import type { Readable } from 'node:stream'
import { FileOf, Text, Unchanged } from '../src/schemas/common.ts'
import { downloadPublication } from '../src/services/published/publishing.ts'
import { robotsTxt } from '../src/services/published/sitemap.ts'
import { routes } from './endpoints.ts'

const TEXTS = {
  feed: ['Get the product feed in YML', 'Contains active products with a price in visible categories.'],
  'google-merchant': [
    'Get the product feed for Google Merchant Center',
    'Contains the products of the YML feed that have an image.',
  ],
  sitemap: ['Get the sitemap', 'Lists visible categories, tags and up to 45 000 active products, newest first.'],
} as const

const PUBLICATIONS = [
  // The same feed under two names (specification, "Catalogue (public reads)").
  ['/api/v1/yml-catalog', 'getYmlCatalog', 'feed'],
  ['/api/v1/yml-catalog.xml', 'getYmlCatalogXml', 'feed'],
  ['/api/v1/google-merchant.xml', 'getGoogleMerchantFeed', 'google-merchant'],
  ['/sitemap.xml', 'getSitemap', 'sitemap'],
] as const

const headers = { ETag: Text('For `If-None-Match`'), 'Last-Modified': Text('Time of the build') }

/** Files for other sites and for search engines (contract sections 8, "Feed", 11 and 14). */
export const feedRoutes = routes('public', (app, deps) => {
  for (const [url, operationId, kind] of PUBLICATIONS) {
    const [summary, contents] = TEXTS[kind]
    app.download(url, {
      operationId,
      summary,
      description: `${contents} Supports gzip, \`If-None-Match\` and \`If-Modified-Since\`.`,
      response: { 200: FileOf<Readable | undefined>('application/xml', 'The file', headers), 304: Unchanged },
      handler: async (request, reply) => {
        const { status, headers, body } = await downloadPublication(deps, kind, request)
        return reply.code(status).addHeaders(headers).send(body)
      },
    })
  }

  app.get('/robots.txt', {
    operationId: 'getRobots',
    summary: 'Get robots.txt',
    response: { 200: FileOf<string>('text/plain', 'The rules for crawlers') },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(robotsTxt(deps)),
  })
})
