import { ref } from '../src/schemas/common.ts'
import { ContactRequest, NewContactRequest } from '../src/schemas/contacts.ts'
import { createContact } from '../src/services/contacts/contacts.ts'
import { routes } from './endpoints.ts'

/** The public feedback form (contract section 6). */
export const contactRoutes = routes('public', (app, deps) => {
  app.post('/', {
    operationId: 'createContact',
    summary: 'Create a contact request',
    description: 'Limited per address and per phone. The shop gets a mail.',
    body: ref(NewContactRequest),
    response: { 201: ref(ContactRequest) },
    handler: async (request) => createContact(deps, request.body, request.ip),
  })
})
