import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Mail, MailQuery } from '../../src/schemas/mails.ts'
import { deleteMail, listMails, retryMail } from '../../src/services/mail/mail.ts'

/** See docs/operations.md. */
export const mailRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.get('/', {
    schema: {
      operationId: 'listMails',
      summary: 'List the newest 1000 mails',
      description: 'Without their texts. Mails that were sent or have failed are deleted after 30 days.',
      querystring: MailQuery,
      response: { 200: List(Mail, 'The mails') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => listMails(deps, request.query),
  })

  app.post('/:id/retry', {
    schema: {
      operationId: 'retryMail',
      summary: 'Send a mail again',
      description: 'It becomes due at once, with all its attempts.',
      params: IdParams,
      response: { 200: ref(Mail), 409: Conflict('MAIL_SENT') },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => retryMail(deps, callerOf(request), request.params.id),
  })

  app.delete('/:id', {
    schema: {
      operationId: 'deleteMail',
      summary: 'Delete a mail',
      description: 'A waiting mail is not sent.',
      params: IdParams,
      response: { 204: NoContent },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request, reply) => {
      await deleteMail(deps, callerOf(request), request.params.id)
      return reply.code(204).send()
    },
  })
}
