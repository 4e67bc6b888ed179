import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Prebuilt, Unchanged } from '../src/schemas/published.ts'
import { downloadFeed } from '../src/services/published/download.ts'

const YML = { kind: 'feed', summary: 'Get the product feed in YML', found: 'The feed, as YML' } as const
const GOOGLE_MERCHANT = {
  kind: 'google-merchant',
  summary: 'Get the product feed for Google Merchant Center',
  found: 'The feed, as RSS 2.0 with the namespace `g`',
} as const

const FEEDS = [
  // The same feed under two names (specification, "Catalogue (public reads)").
  ['/yml-catalog', 'getYmlCatalog', YML],
  ['/yml-catalog.xml', 'getYmlCatalogXml', YML],
  ['/google-merchant.xml', 'getGoogleMerchantFeed', GOOGLE_MERCHANT],
] as const

/** The catalogue for other sites (contract sections 8, "Feed", and 14). */
export const feedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [url, operationId, { kind, summary, found }] of FEEDS) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config: { access: 'public' },
      schema: {
        operationId,
        summary,
        description:
          'Contains active products with a price in visible categories. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
        response: { 200: Prebuilt(found), 304: Unchanged },
      },
      handler: async (request, reply) => {
        const { status, headers, body } = await downloadFeed(app.deps, kind, request)
        return reply.code(status).addHeaders(headers).send(body)
      },
    })
  }
}
