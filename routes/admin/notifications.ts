import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../../src/schemas/common.ts'
import { TestMail, TestMailResult } from '../../src/schemas/mails.ts'
import { sendTestMail } from '../../src/services/mail/mail.ts'

/** See docs/mails.md. */
export const notificationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { deps } = app

  app.post('/email/test', {
    schema: {
      operationId: 'sendTestMail',
      summary: 'Send a test mail',
      description: 'Sent at once, bypassing the outbox; returns the result.',
      body: ref(TestMail),
      response: { 200: ref(TestMailResult) },
    },
    config: { access: 'ADMIN', permission: 'operations' },
    handler: async (request) => sendTestMail(deps, request.body),
  })
}
