import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import {
  ContactExportQuery,
  ContactIds,
  ContactNotesChange,
  ContactQuery,
  ContactRequest,
  ContactStatusChange,
} from '../../src/schemas/contacts.ts'
import { CsvFile, Page } from '../../src/schemas/lists.ts'
import {
  deleteContact,
  deleteContacts,
  exportContacts,
  getContact,
  listContacts,
  updateContact,
} from '../../src/services/contacts/contacts.ts'

const config = { access: 'MANAGER' } as const

/** Specification, "Users and contacts (staff)"; contract section 6. */
export const contactAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    config,
    schema: {
      operationId: 'listContacts',
      summary: 'List contact requests',
      querystring: ContactQuery,
      response: { 200: Page(ContactRequest) },
    },
    handler: async (request) => listContacts(deps, request.query),
  })

  app.get('/export', {
    config: { ...config, mayTakeLong: true },
    schema: {
      operationId: 'exportContacts',
      summary: 'Export contact requests as CSV',
      description: 'Filters and sort of the list.',
      querystring: ContactExportQuery,
      response: { 200: CsvFile },
    },
    handler: async (request, reply) => reply.csv(await exportContacts(deps, request.query)),
  })

  app.delete('/', {
    config,
    schema: {
      operationId: 'deleteContacts',
      summary: 'Delete several contact requests',
      description: 'At most 1000; unknown ids are ignored.',
      querystring: ContactIds,
      response: { 204: NoContent },
    },
    handler: async (request) => deleteContacts(deps, callerOf(request), request.query.ids),
  })

  app.get('/:id', {
    config,
    schema: {
      operationId: 'getContact',
      summary: 'Get a contact request',
      params: IdParams,
      response: { 200: ref(ContactRequest) },
    },
    handler: async (request) => getContact(deps, request.params.id),
  })

  app.delete('/:id', {
    config,
    schema: {
      operationId: 'deleteContact',
      summary: 'Delete a contact request',
      params: IdParams,
      response: { 204: NoContent },
    },
    handler: async (request) => deleteContact(deps, callerOf(request), request.params.id),
  })

  app.put('/:id/status', {
    config,
    schema: {
      operationId: 'setContactStatus',
      summary: 'Set the status of a contact request',
      description: 'Any status may follow any other.',
      params: IdParams,
      body: ref(ContactStatusChange),
      response: { 200: ref(ContactRequest) },
    },
    handler: async (request) =>
      updateContact(deps, callerOf(request), request.params.id, { status: request.body.status }),
  })

  app.put('/:id/notes', {
    config,
    schema: {
      operationId: 'setContactNotes',
      summary: 'Set the notes of a contact request',
      description: 'Only staff see them.',
      params: IdParams,
      body: ref(ContactNotesChange),
      response: { 200: ref(ContactRequest) },
    },
    handler: async (request) =>
      updateContact(deps, callerOf(request), request.params.id, { notes: request.body.notes }),
  })
}
