import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Unchanged } from '../src/schemas/common.ts'
import { PublishedFile } from '../src/schemas/published.ts'
import { downloadPublication } from '../src/services/published/publishing.ts'

/** See docs/published.md. */
export const googleMerchantRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.route({
    method: ['GET', 'HEAD'],
    url: '/google-merchant.xml',
    schema: {
      operationId: 'getGoogleMerchantFeed',
      summary: 'Get the product feed for Google Merchant Center',
      description:
        'Contains the products of the YML feed that have an image. Supports gzip, `If-None-Match` and `If-Modified-Since`.',
      response: { 200: PublishedFile, 304: Unchanged },
    },
    config: { access: 'public' },
    handler: async (request, reply) => {
      const { status, headers, body } = await downloadPublication(deps, 'google-merchant', request)
      return reply.code(status).addHeaders(headers).send(body)
    },
  })
}
