import { type Static, Type } from '@sinclair/typebox'
import { MAIL_STATUSES } from '../../db/tables/mails.ts'
import { Count, Id, NamedEnum, NamedObject, Nullable, Only, ref, Text, Timestamp, Word } from './common.ts'

export const MailStatus = NamedEnum('MailStatus', 'State of a mail', MAIL_STATUSES)

export const Mail = NamedObject('Mail', 'A mail of the outbox, without its text', {
  id: Id('Id of the mail'),
  recipient: Text('Address of the recipient', 'orders@example.com'),
  subject: Text('Subject', 'Заказ 000012'),
  status: ref(MailStatus),
  attempts: Count('Attempts so far'),
  nextAttemptAt: Nullable(Timestamp('Time of the next attempt; null: none follows')),
  lastError: Nullable(Text('Why the last attempt failed', '550 no such mailbox')),
  createdAt: Timestamp('Time of the event'),
  sentAt: Nullable(Timestamp('When the mail server accepted it')),
})
export type Mail = Static<typeof Mail>

export const MailQuery = Type.Object({
  status: Only(MailStatus, 'mails in this state'),
})
export type MailQuery = Static<typeof MailQuery>

export const TestMail = NamedObject('TestMail', 'A test mail', {
  to: Word(254, 'Recipient', 'admin@example.com'),
})
export type TestMail = Static<typeof TestMail>

export const TestMailResult = NamedObject('TestMailResult', 'Result of a test mail', {
  delivered: Type.Boolean({ description: 'Whether the mail server accepted it' }),
  message: Text('Answer of the mail server', '250 OK: queued as 4F2A1'),
})
export type TestMailResult = Static<typeof TestMailResult>
