import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { FileOf } from '../../src/schemas/common.ts'
import { Failure } from '../../src/schemas/errors.ts'
import { securityTxt } from '../../src/services/published/sitemap.ts'

/** Where to report a vulnerability. */
export const securityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/security.txt', {
    schema: {
      operationId: 'getSecurityContact',
      summary: 'Get security.txt',
      description: 'Of RFC 9116. A 404 unless the setting `shop_security_contact` names a contact.',
      response: { 200: FileOf<string>('text/plain', 'The contact'), 404: Failure },
    },
    config: { access: 'public' },
    handler: async (_request, reply) => reply.type('text/plain; charset=utf-8').send(await securityTxt(deps)),
  })
}
