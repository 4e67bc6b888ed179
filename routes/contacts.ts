import { callerOf } from '../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../src/schemas/common.ts'
import * as wire from '../src/schemas/contacts.ts'
import { CsvFile, Page } from '../src/schemas/lists.ts'
import * as contacts from '../src/services/contacts/contacts.ts'
import { routes } from './endpoints.ts'

/** The public feedback form (contract section 6). */
export const contactRoutes = routes('public', (app, deps) => {
  app.post('/', {
    operationId: 'createContact',
    summary: 'Create a contact request',
    description: 'Limited per address and per phone. The shop gets a mail.',
    body: ref(wire.NewContactRequest),
    response: { 201: ref(wire.ContactRequest) },
    handler: async (request) => contacts.createContact(deps, request.body, request.ip),
  })
})

/** Specification, "Users and contacts (staff)"; contract section 6. */
export const contactAdminRoutes = routes('MANAGER', (app, deps) => {
  app.get('/', {
    operationId: 'listContacts',
    summary: 'List contact requests',
    querystring: wire.ContactQuery,
    response: { 200: Page(wire.ContactRequest) },
    handler: async (request) => contacts.listContacts(deps, request.query),
  })

  app.get('/export', {
    operationId: 'exportContacts',
    summary: 'Export contact requests as CSV',
    description: 'Filters and sort of the list.',
    querystring: wire.ContactExportQuery,
    response: { 200: CsvFile },
    handler: async (request, reply) => reply.csv(await contacts.exportContacts(deps, request.query)),
  })

  app.delete('/', {
    operationId: 'deleteContacts',
    summary: 'Delete several contact requests',
    description: 'At most 1000; unknown ids are ignored.',
    querystring: wire.ContactIds,
    response: { 204: NoContent },
    handler: async (request) => contacts.deleteContacts(deps, callerOf(request), request.query.ids),
  })

  app.get('/:id', {
    operationId: 'getContact',
    summary: 'Get a contact request',
    params: IdParams,
    response: { 200: ref(wire.ContactRequest) },
    handler: async (request) => contacts.getContact(deps, request.params.id),
  })

  app.delete('/:id', {
    operationId: 'deleteContact',
    summary: 'Delete a contact request',
    params: IdParams,
    response: { 204: NoContent },
    handler: async (request) => contacts.deleteContact(deps, callerOf(request), request.params.id),
  })

  app.put('/:id/status', {
    operationId: 'setContactStatus',
    summary: 'Set the status of a contact request',
    description: 'Any status may follow any other.',
    params: IdParams,
    body: ref(wire.ContactStatusChange),
    response: { 200: ref(wire.ContactRequest) },
    handler: async (request) =>
      contacts.updateContact(deps, callerOf(request), request.params.id, { status: request.body.status }),
  })

  app.put('/:id/notes', {
    operationId: 'setContactNotes',
    summary: 'Set the notes of a contact request',
    description: 'Only staff see them.',
    params: IdParams,
    body: ref(wire.ContactNotesChange),
    response: { 200: ref(wire.ContactRequest) },
    handler: async (request) =>
      contacts.updateContact(deps, callerOf(request), request.params.id, { notes: request.body.notes }),
  })
})
