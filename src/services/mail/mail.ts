import { randomUUID } from 'node:crypto'
import * as mails from '../../../db/queries/mail/outbox.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found, LANGUAGES } from '../../errors.ts'
import { validEmail } from '../../rules/accounts/credentials.ts'
import type { Actor } from '../../rules/accounts/roles.ts'
import type { MailContext, RenderedMail } from '../../rules/mail/render.ts'
import { testMail } from '../../rules/mail/staff.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { oneLine, withoutAddresses } from '../../rules/text.ts'
import { seal, unseal } from '../../runtime/secrets.ts'
import { write } from '../../runtime/write.ts'
import type { Mail, MailQuery, TestMail, TestMailResult } from '../../schemas/mails.ts'
import { settingValues } from '../settings/settings.ts'

export const SEND_TIMEOUT_MS = 60_000
/** Longer than an attempt, so that no other process sends the mail meanwhile. */
const LEASE_MS = 1.5 * SEND_TIMEOUT_MS
const UNREADABLE = { delivered: false, failure: 'REFUSED', message: 'Encrypted with another JWT_SECRET' } as const
/** Delays between attempts: ten attempts in two days. */
const RETRY_DELAYS_MIN = [1, 5, 15, 60, 180, 360, 720, 720, 720]

/** How long a shutdown waits for a mail in flight. */
const MAIL_GRACE_MS = 3000

/**
 * Sends due mails one after the other, the oldest due first, until the server is unreachable
 * (docs/mails.md). No transaction is open during a delivery. A mail whose sender crashed is sent again after its lease, so that
 * it is delivered at least once.
 */
export async function deliverDueMails(deps: Deps): Promise<void> {
  let hasMore = true
  while (hasMore && !deps.tasks.stopping) {
    hasMore = await deps.tasks.run((signal) => deliverNext(deps, signal), MAIL_GRACE_MS)
  }
}

/** @returns whether to go on with the next mail */
async function deliverNext({ db, mailer, log, config }: Deps, signal: AbortSignal): Promise<boolean> {
  const mail = await mails.claimDueMail(db, LEASE_MS)
  if (mail === undefined) return false
  const { id, recipient, subject, attempts, created_at: date } = mail
  const content = contentOf(mail, config.jwtSecret)
  const outgoing = content && { recipient, subject, ...content, date, key: `${date.getTime()}.${id}` }
  const outcome = outgoing ? await mailer.send(outgoing, { signal, timeoutMs: SEND_TIMEOUT_MS }) : UNREADABLE
  if (outcome.delivered) {
    await mails.markMailSent(db, id)
    return true
  }
  // A shutdown aborted the attempt; the mail is due again after its lease.
  if (signal.aborted) return false
  const { failure, message } = outcome
  const delayMin = failure === 'REFUSED' ? undefined : RETRY_DELAYS_MIN[attempts - 1]
  await mails.recordMailFailure(db, mail, message, delayMin)
  const fields = { mail: id, attempts, reason: withoutAddresses(message) }
  if (delayMin === undefined) log.error(fields, 'mail failed')
  else log.warn(fields, 'mail postponed')
  return failure !== 'UNREACHABLE'
}

/** Someone is waiting for the answer. */
const TEST_TIMEOUT_MS = 15_000

/** Sends a mail at once, bypassing the outbox (docs/mails.md). @throws AppError 400 */
export async function sendTestMail(deps: Deps, { to }: TestMail): Promise<TestMailResult> {
  const recipient = validEmail(to, 'to')
  const text = testMail(mailContext(deps.config, await settingValues(deps)))
  const mail = { recipient, ...text, date: deps.now(), key: randomUUID() }
  const send = (signal: AbortSignal) => deps.mailer.send(mail, { signal, timeoutMs: TEST_TIMEOUT_MS })
  const { delivered, message } = await deps.tasks.run(send, MAIL_GRACE_MS)
  return { delivered, message }
}

/** What the templates of mails need to know of the shop. */
export function mailContext(config: Deps['config'], settings: SettingValues): MailContext {
  return {
    language: LANGUAGES.find((language) => language === settings.mail_language) ?? 'ru',
    siteName: oneLine(settings.site_name),
    siteUrl: config.siteUrl,
    currency: settings.shop_currency,
    timeZone: config.shopTimeZone,
  }
}

/**
 * Encrypts a mail that holds a secret: the outbox must not tell what is stored as a hash elsewhere. An instance of a
 * version that can't decrypt it sends the subject alone.
 */
export function sealMail({ subject, body, html }: RenderedMail, secret: string): mails.MailText {
  return { subject, body: subject, sealed: seal(secret, JSON.stringify({ body, html })) }
}

/** Returns the parts of a stored mail; null if it was sealed with another secret. */
function contentOf({ body, html, sealed }: mails.MailRow, secret: string): Pick<mails.MailRow, 'body' | 'html'> | null {
  if (sealed === null) return { body, html }
  const text = unseal(secret, sealed)
  return text === null ? null : JSON.parse(text)
}

const MAX_LISTED = 1000

/** Lists the newest mails, without their texts (docs/operations.md). */
export async function listMails({ db }: Deps, { status }: MailQuery): Promise<Mail[]> {
  return (await mails.listMails(db, status, MAX_LISTED)).map(toMail)
}

/** Makes a mail due at once, with all its attempts. @throws AppError 404; 409 MAIL_SENT */
export async function retryMail(deps: Deps, actor: Actor, id: number): Promise<Mail> {
  return write(deps, async (tx) => {
    const before = found(await mails.lockMail(tx.db, id), 'mail')
    if (before.status === 'SENT') throw conflict('MAIL_SENT', 'This mail has already been sent')
    const after = toMail(await mails.restartMail(tx.db, id))
    const { status, attempts } = before
    tx.audit({ actor, entity: 'MAIL', entityId: id, before: { status, attempts }, after: { ...after } })
    return after
  })
}

/** Deletes a mail, which is then not sent. @throws AppError 404 */
export async function deleteMail(deps: Deps, actor: Actor, id: number): Promise<void> {
  await write(deps, async (tx) => {
    const deleted = found(await mails.deleteMail(tx.db, id), 'mail')
    const { recipient, subject, status } = deleted
    tx.audit({ actor, entity: 'MAIL', entityId: id, before: { recipient, subject, status }, after: null })
  })
}

function toMail(row: mails.ListedMail): Mail {
  return {
    id: row.id,
    recipient: row.recipient,
    subject: row.subject,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'PENDING' ? row.next_attempt_at.toISOString() : null,
    lastError: row.last_error,
    createdAt: row.created_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
  }
}
