import { type Static, Type } from '@sinclair/typebox'
import { MAIL_STATUSES } from '../../db/tables/mails.ts'
import { Count, described, Enum, Id, Nullable, ref, Timestamp } from './common.ts'

export const MailStatus = Enum(MAIL_STATUSES, { $id: 'MailStatus', description: 'State of a mail' })

export const Mail = Type.Object(
  {
    id: described(Id, 'Id of the mail'),
    recipient: Type.String({ description: 'Address of the recipient' }),
    subject: Type.String({ description: 'Subject' }),
    status: ref(MailStatus),
    attempts: described(Count, 'Attempts so far'),
    nextAttemptAt: Nullable(described(Timestamp, 'Time of the next attempt; null: none follows')),
    lastError: Nullable(Type.String({ description: 'Why the last attempt failed' })),
    createdAt: described(Timestamp, 'Time of the event'),
    sentAt: Nullable(described(Timestamp, 'When the mail server accepted it')),
  },
  {
    $id: 'Mail',
    description: 'A mail of the outbox, without its text',
    examples: [
      {
        id: 81,
        recipient: 'orders@example.com',
        subject: 'Заказ 000012',
        status: 'FAILED',
        attempts: 10,
        nextAttemptAt: null,
        lastError: '550 no such mailbox',
        createdAt: '2026-11-20T08:00:00.000Z',
        sentAt: null,
      },
    ],
  },
)
export type Mail = Static<typeof Mail>

export const MailQuery = Type.Object({
  status: Type.Optional(ref(MailStatus, { description: 'Only mails in this state', examples: ['FAILED'] })),
})
export type MailQuery = Static<typeof MailQuery>
