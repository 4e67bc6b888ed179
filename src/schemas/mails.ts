import { type Static, Type } from '@sinclair/typebox'
import { MAIL_STATUSES } from '../../db/tables/operations.ts'
import * as t from './common.ts'
import { SeveralWords } from './lists.ts'

const MailStatus = t.NamedEnum('MailStatus', 'Status of a mail', MAIL_STATUSES)

export const Mail = t.NamedObject('Mail', 'A mail of the outbox, without its text', {
  id: t.Id('Id of the mail'),
  recipient: t.Text('Address of the recipient', 'orders@example.com'),
  subject: t.Text('Subject', 'Заказ 000012'),
  status: t.ref(MailStatus),
  attempts: t.Count('Attempts so far'),
  nextAttemptAt: t.Nullable(t.Timestamp('Time of the next attempt; null: none follows')),
  lastError: t.Nullable(t.Text('Why the last attempt failed', '550 no such mailbox')),
  createdAt: t.Timestamp('Time of the event'),
  sentAt: t.Nullable(t.Timestamp('When the mail server accepted it')),
})
export type Mail = Static<typeof Mail>

export const MailQuery = Type.Object({ status: SeveralWords(MAIL_STATUSES, 'Only mails with this status') })
export type MailQuery = Static<typeof MailQuery>

export const TestMail = t.NamedObject('TestMail', 'A test mail', {
  to: t.NonBlank(254, 'Recipient', 'admin@example.com'),
})
export type TestMail = Static<typeof TestMail>

export const TestMailResult = t.NamedObject('TestMailResult', 'Result of a test mail', {
  delivered: Type.Boolean({ description: 'Whether the mail server accepted it' }),
  message: t.Text('Answer of the mail server', '250 OK: queued as 4F2A1'),
})
export type TestMailResult = Static<typeof TestMailResult>
