import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import type { MailsTable } from '../../tables/mails.ts'

export type Mail = { recipient: string; subject: string; body: string }
export type MailRow = Selectable<MailsTable>

/** Puts a mail into the outbox; it goes out if the transaction commits, and only then. */
export async function enqueueMail(trx: Trx, mail: Mail): Promise<void> {
  await trx.insertInto('mails').values(mail).execute()
}

/**
 * Takes the mail that has been due the longest, for one attempt, which is counted. Nobody else gets it for `leaseMs`;
 * after that it is due again, so that a process that dies loses nothing.
 */
export function claimDueMail(db: Db, leaseMs: number): Promise<MailRow | undefined> {
  return db
    .updateTable('mails')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), next_attempt_at: fromNow(leaseMs) }))
    .where('id', '=', (eb) =>
      eb
        .selectFrom('mails')
        .select('id')
        .where('status', '=', 'PENDING')
        .where('next_attempt_at', '<=', sql<Date>`now()`)
        .orderBy('next_attempt_at')
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}

/** Delivered is delivered, whoever holds the lease by now. */
export async function markMailSent(db: Db, id: number): Promise<void> {
  await db
    .updateTable('mails')
    .set({ status: 'SENT', sent_at: sql<Date>`now()`, last_error: null })
    .where('id', '=', id)
    .execute()
}

/** The attempt failed; the next one is in `delayMs`. */
export async function postponeMail(db: Db, mail: MailRow, delayMs: number, error: string): Promise<void> {
  await heldMail(db, mail)
    .set({ next_attempt_at: fromNow(delayMs), last_error: error })
    .execute()
}

/** There is no next attempt. */
export async function failMail(db: Db, mail: MailRow, error: string): Promise<void> {
  await heldMail(db, mail).set({ status: 'FAILED', last_error: error }).execute()
}

/** Gives a mail back as it was taken: the attempt doesn't count. */
export async function releaseMail(db: Db, mail: MailRow): Promise<void> {
  await heldMail(db, mail)
    .set((eb) => ({ attempts: eb('attempts', '-', 1), next_attempt_at: sql<Date>`now()` }))
    .execute()
}

/** Deletes what was sent or given up and is older than so many days. @returns how many */
export async function deleteOldMails(db: Db, days: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mails')
    .where('status', '<>', 'PENDING')
    .where('created_at', '<', sql<Date>`now() - ${days}::int * interval '1 day'`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The mail, unless it was sent or taken by somebody else since this attempt began. */
function heldMail(db: Db, { id, attempts }: MailRow) {
  return db
    .updateTable('mails')
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('attempts', '=', attempts)
}

function fromNow(ms: number) {
  return sql<Date>`now() + ${ms}::float8 * interval '1 millisecond'`
}
