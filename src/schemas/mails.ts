import { type Static, Type } from '@sinclair/typebox'
import { MAIL_STATUSES } from '../../db/tables/mails.ts'
import { Count, described, Id, NamedEnum, NamedObject, Nullable, ref, Text, Timestamp } from './common.ts'

export const MailStatus = NamedEnum('MailStatus', 'State of a mail', MAIL_STATUSES)

export const Mail = NamedObject('Mail', 'A mail of the outbox, without its text', {
  id: described(Id, 'Id of the mail'),
  recipient: Text('Address of the recipient', 'orders@example.com'),
  subject: Text('Subject', 'Заказ 000012'),
  status: ref(MailStatus),
  attempts: described(Count, 'Attempts so far'),
  nextAttemptAt: Nullable(described(Timestamp, 'Time of the next attempt; null: none follows')),
  lastError: Nullable(Text('Why the last attempt failed', '550 no such mailbox')),
  createdAt: described(Timestamp, 'Time of the event'),
  sentAt: Nullable(described(Timestamp, 'When the mail server accepted it')),
})
export type Mail = Static<typeof Mail>

export const MailQuery = Type.Object({
  status: Type.Optional(ref(MailStatus, { description: 'Only mails in this state', examples: ['FAILED'] })),
})
export type MailQuery = Static<typeof MailQuery>
