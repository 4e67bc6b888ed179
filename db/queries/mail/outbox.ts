import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../../database.ts'
import { type Params, prepare } from '../../prepared.ts'
import type { OperationsTables } from '../../tables/operations.ts'
import { fromNow } from '../expressions.ts'

/** What a mail is inserted with. */
const COLUMNS = [
  'recipient',
  'subject',
  'body',
  'html',
  'sealed',
  'status',
  'last_error',
  'order_id',
  'contact_id',
] as const

export type MailText = Pick<MailRow, 'subject' | 'body'> & Partial<Pick<MailRow, 'html' | 'sealed'>>
/** One that is FAILED from the beginning is listed, but not sent. */
export type Mail = MailText & { recipient: string } & Partial<
    Pick<MailRow, 'status' | 'last_error' | 'order_id' | 'contact_id'>
  >
/** Without its texts. */
export type ListedMail = Omit<MailRow, 'body' | 'html' | 'sealed' | 'order_id' | 'contact_id'>
export type MailRow = Selectable<OperationsTables['mails']>

/** Mails by column, as `unnest` takes them. */
type MailColumns = { [Name in keyof Mail]-?: Exclude<Mail[Name], undefined>[] }

const insertMails = prepare((db, mails: Params<MailColumns>) => {
  const given = sql<Mail & { position: number }>`unnest(${mails.recipient}::text[], ${mails.subject}::text[],
    ${mails.body}::text[], ${mails.html}::text[], ${mails.sealed}::bytea[], ${mails.status}::text[],
    ${mails.last_error}::text[], ${mails.order_id}::int[], ${mails.contact_id}::int[]) with ordinality`.as<'mail'>(
    sql`mail (${sql.join(COLUMNS.map((name) => sql.id(name)))}, position)`,
  )
  return db
    .insertInto('mails')
    .columns(COLUMNS)
    .expression(({ selectFrom }) => selectFrom(given).select(COLUMNS).orderBy('position'))
})

/** Adds mails to the outbox, to be sent if the transaction commits. */
export async function enqueueMail(trx: Trx, ...mails: Mail[]): Promise<void> {
  if (mails.length === 0) return
  await insertMails(trx, {
    recipient: mails.map((mail) => mail.recipient),
    subject: mails.map((mail) => mail.subject),
    body: mails.map((mail) => mail.body),
    html: mails.map((mail) => mail.html ?? null),
    sealed: mails.map((mail) => mail.sealed ?? null),
    status: mails.map((mail) => mail.status ?? 'PENDING'),
    last_error: mails.map((mail) => mail.last_error ?? null),
    order_id: mails.map((mail) => mail.order_id ?? null),
    contact_id: mails.map((mail) => mail.contact_id ?? null),
  })
}

/** Claims the oldest due mail for one attempt. It is due again after `leaseMs`, in case the process crashes. */
export function claimDueMail(db: Db, leaseMs: number): Promise<MailRow | undefined> {
  return db
    .updateTable('mails')
    .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), next_attempt_at: fromNow(leaseMs) }))
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('mails')
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

/** Marks a mail as sent, even if its lease has expired, and deletes its secrets. */
export async function markMailSent(db: Db, id: number): Promise<void> {
  const sent = { status: 'SENT', sent_at: sql<Date>`now()`, last_error: null, sealed: null } as const
  await db.updateTable('mails').set(sent).where('id', '=', id).execute()
}

/**
 * Records a failed attempt, unless the mail was sent, restarted or claimed by others since this claim.
 * @param retryAfterMin minutes until the next attempt; undefined: there is none
 */
export async function recordMailFailure(
  db: Db,
  { id, attempts }: MailRow,
  error: string,
  retryAfterMin: number | undefined,
): Promise<void> {
  const failed = db
    .updateTable('mails')
    .set({ last_error: error })
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('attempts', '=', attempts)
  const next =
    retryAfterMin === undefined
      ? failed.set({ status: 'FAILED' })
      : failed.set({ next_attempt_at: fromNow(retryAfterMin * 60_000) })
  await next.execute()
}

/** Lists the newest mails. */
export function listMails(db: Db, statuses: MailRow['status'][] | undefined, limit: number): Promise<ListedMail[]> {
  const all = db
    .selectFrom('mails')
    .select(['id', 'recipient', 'subject', 'status', 'attempts', 'next_attempt_at', 'last_error'])
    .select(['created_at', 'sent_at'])
  const found = statuses === undefined ? all : all.where('status', 'in', statuses)
  return found.orderBy('id', 'desc').limit(limit).execute()
}

export function lockMail(trx: Trx, id: number): Promise<MailRow | undefined> {
  return trx.selectFrom('mails').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export function deleteMail(trx: Trx, id: number): Promise<MailRow | undefined> {
  return trx.deleteFrom('mails').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Makes a mail due now. */
export function restartMail(trx: Trx, id: number): Promise<MailRow> {
  const restarted = { status: 'PENDING', attempts: 0, next_attempt_at: sql<Date>`now()` } as const
  return trx.updateTable('mails').set(restarted).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}
