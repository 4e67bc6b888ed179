import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../src/schemas/common.ts'
import * as wire from '../src/schemas/contacts.ts'
import * as contacts from '../src/services/contacts/contacts.ts'
import { checkConsent } from '../src/services/privacy/consents.ts'

/** The public feedback form (docs/content.md). */
export const contactRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/', {
    schema: {
      operationId: 'createContact',
      summary: 'Create a contact request',
      description: 'Limited per address and per phone. The shop gets a mail.',
      body: ref(wire.NewContactRequest),
      response: { 201: ref(wire.SentContactRequest) },
    },
    config: { access: 'public', check: (body) => checkConsent(deps, body) },
    handler: async (request, reply) =>
      reply.code(201).send(await contacts.createContact(deps, request.body, request.clientAddress)),
  })
}
