import { callerOf } from '../../plugins/auth.ts'
import { IdParams, List, NoContent, ref } from '../../src/schemas/common.ts'
import { Conflict } from '../../src/schemas/errors.ts'
import { Mail, MailQuery, TestMail, TestMailResult } from '../../src/schemas/mails.ts'
import { deleteMail, listMails, retryMail, sendTestMail } from '../../src/services/mail/mail.ts'
import { routes } from '../endpoints.ts'

/** Contract section 11, "Repairs without SQL". */
export const mailRoutes = routes('ADMIN', (app, deps) => {
  app.get('/', {
    operationId: 'listMails',
    summary: 'List the newest 1000 mails',
    description: 'Without their texts. Mails that were sent or have failed are deleted after 30 days.',
    querystring: MailQuery,
    response: { 200: List(Mail, 'The mails') },
    handler: async (request) => listMails(deps, request.query),
  })

  app.post('/:id/retry', {
    operationId: 'retryMail',
    summary: 'Send a mail again',
    description: 'It becomes due at once, with all its attempts.',
    params: IdParams,
    response: { 200: ref(Mail), 409: Conflict('MAIL_SENT') },
    handler: async (request) => retryMail(deps, callerOf(request), request.params.id),
  })

  app.delete('/:id', {
    operationId: 'deleteMail',
    summary: 'Delete a mail',
    description: 'A waiting mail is not sent.',
    params: IdParams,
    response: { 204: NoContent },
    handler: async (request) => deleteMail(deps, callerOf(request), request.params.id),
  })
})

/** Specification, "Content and administration"; contract section 7, "Mail". */
export const notificationRoutes = routes('ADMIN', (app, deps) => {
  app.post('/email/test', {
    operationId: 'sendTestMail',
    summary: 'Send a test mail',
    description: 'Sent at once, bypassing the outbox; returns the result.',
    body: ref(TestMail),
    response: { 200: ref(TestMailResult) },
    handler: async (request) => sendTestMail(deps, request.body),
  })
})
