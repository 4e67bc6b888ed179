import { type Static, Type } from '@sinclair/typebox'
import { MAIL_STATUSES } from '../../db/tables/mails.ts'
import { Count, Id, NamedEnum, NamedObject, Nullable, Only, ref, Text, Timestamp } from './common.ts'

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
