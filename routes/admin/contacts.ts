import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, NoContent, ref } from '../../src/schemas/common.ts'
import * as wire from '../../src/schemas/contacts.ts'
import { CsvFile, Page } from '../../src/schemas/lists.ts'
import { targetOf, VersionHeaders } from '../../src/schemas/versions.ts'
import * as contacts from '../../src/services/contacts/contacts.ts'

/** See docs/accounts.md and docs/content.md. */
export const adminContactRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listContacts',
      summary: 'List contact requests',
      querystring: wire.ContactQuery,
      response: { 200: Page(wire.ContactRequest) },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request) => contacts.listContacts(deps, request.query),
  })

  app.get('/export', {
    schema: {
      operationId: 'exportContacts',
      summary: 'Export contact requests as CSV',
      description: 'Filters and sort of the list.',
      querystring: wire.ContactExportQuery,
      response: { 200: CsvFile },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request, reply) => reply.csv(await contacts.exportContacts(deps, request.query)),
  })

  app.delete('/', {
    schema: {
      operationId: 'deleteContacts',
      summary: 'Delete several contact requests',
      description: 'At most 1000; unknown ids are ignored.',
      querystring: wire.ContactIds,
      response: { 204: NoContent },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request, reply) => {
      await contacts.deleteContacts(deps, callerOf(request), request.query.ids)
      return reply.code(204).send()
    },
  })

  app.get('/:id', {
    schema: {
      operationId: 'getContact',
      summary: 'Get a contact request',
      params: IdParams,
      response: { 200: ref(wire.ContactRequest) },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request) => contacts.getContact(deps, request.params.id),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteContact',
      summary: 'Delete a contact request',
      params: IdParams,
      headers: VersionHeaders,
      response: { 204: NoContent },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request, reply) => {
      await contacts.deleteContact(deps, callerOf(request), targetOf(request))
      return reply.code(204).send()
    },
  })

  app.put('/:id/status', {
    schema: {
      operationId: 'setContactStatus',
      summary: 'Set the status of a contact request',
      description: 'Any status may follow any other.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.ContactStatusChange),
      response: { 200: ref(wire.ContactRequest) },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request) =>
      contacts.updateContact(deps, callerOf(request), targetOf(request), { status: request.body.status }),
  })

  app.put('/:id/notes', {
    schema: {
      operationId: 'setContactNotes',
      summary: 'Set the notes of a contact request',
      description: 'Only staff see them.',
      params: IdParams,
      headers: VersionHeaders,
      body: ref(wire.ContactNotesChange),
      response: { 200: ref(wire.ContactRequest) },
    },
    config: { access: 'MANAGER', permission: 'contacts' },
    handler: async (request) =>
      contacts.updateContact(deps, callerOf(request), targetOf(request), { notes: request.body.notes }),
  })
}
