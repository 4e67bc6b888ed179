import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { perAddress } from '../../plugins/rate-limit.ts'
import { ref } from '../../src/schemas/common.ts'
import { Failure } from '../../src/schemas/errors.ts'
import { TestMail, TestMailResult } from '../../src/schemas/notifications.ts'
import { sendTestMail } from '../../src/services/mail/mail.ts'

/** Specification, "Content and administration"; contract section 7, "Mail". */
export const notificationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  // Counted after authorisation, so that others can't exhaust the limit.
  const rateLimit = { ...perAddress('test-mail', 20, 60_000), hook: 'preHandler' as const }

  app.post('/email/test', {
    config: { access: 'ADMIN', rateLimit },
    schema: {
      operationId: 'sendTestMail',
      summary: 'Send a test mail',
      description: 'Sent at once, bypassing the outbox; answers with the result.',
      body: ref(TestMail),
      response: { 200: ref(TestMailResult), 429: Failure },
    },
    handler: async (request) => sendTestMail(app.deps, request.body),
  })
}
