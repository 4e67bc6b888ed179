import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Failure, IdParams, NoContent, Page, ref } from '../../src/schemas/common.ts'
import {
  ContactIds,
  ContactNotesChange,
  ContactQuery,
  ContactRequest,
  ContactStatusChange,
} from '../../src/schemas/contacts.ts'
import {
  deleteContact,
  deleteContacts,
  getContact,
  listContacts,
  setContactNotes,
  setContactStatus,
} from '../../src/services/contacts/contacts.ts'

const tags = ['contacts']
const config = { access: 'MANAGER' } as const

/** Specification, "Users and contacts (staff)"; contract section 6. */
export const contactAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'listContacts',
        summary: 'Contact requests, the newest first',
        querystring: ContactQuery,
        response: { 200: Page(ref(ContactRequest)) },
      },
    },
    async (request) => listContacts(deps, request.query),
  )

  app.delete(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteContacts',
        summary: 'Delete several contact requests; those that are gone already do not matter',
        querystring: ContactIds,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await deleteContacts(deps, request.query.ids)
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'getContact',
        summary: 'One contact request',
        params: IdParams,
        response: { 200: ref(ContactRequest), 404: Failure },
      },
    },
    async (request) => getContact(deps, request.params.id),
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteContact',
        summary: 'Delete a contact request',
        params: IdParams,
        response: { 204: NoContent, 404: Failure },
      },
    },
    async (request, reply) => {
      await deleteContact(deps, request.params.id)
      return reply.code(204).send(null)
    },
  )

  app.put(
    '/:id/status',
    {
      config,
      schema: {
        tags,
        operationId: 'setContactStatus',
        summary: 'Set the status',
        params: IdParams,
        body: ContactStatusChange,
        response: { 200: ref(ContactRequest), 404: Failure },
      },
    },
    async (request) => setContactStatus(deps, request.params.id, request.body.status),
  )

  app.put(
    '/:id/notes',
    {
      config,
      schema: {
        tags,
        operationId: 'setContactNotes',
        summary: 'Set or clear the notes',
        params: IdParams,
        body: ContactNotesChange,
        response: { 200: ref(ContactRequest), 404: Failure },
      },
    },
    async (request) => setContactNotes(deps, request.params.id, request.body.notes),
  )
}
