import type { Generated, GeneratedAlways } from 'kysely'

export const MAIL_STATUSES = ['PENDING', 'SENT', 'FAILED'] as const

/** The outbox, written in the transaction of the event and delivered by a job. */
export type MailsTable = {
  id: GeneratedAlways<number>
  recipient: string
  subject: string
  /** Plain text; of a sealed mail its subject. */
  body: string
  html: string | null
  /** Body and HTML of a mail that holds a secret, encrypted until it is sent. */
  sealed: Buffer | null
  status: Generated<(typeof MAIL_STATUSES)[number]>
  attempts: Generated<number>
  next_attempt_at: Generated<Date>
  last_error: string | null
  created_at: Generated<Date>
  sent_at: Date | null
}
