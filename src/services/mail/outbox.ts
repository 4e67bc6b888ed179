import {
  claimDueMail,
  deleteOldMails,
  failMail,
  markMailSent,
  postponeMail,
  releaseMail,
} from '../../../db/queries/mail/outbox.ts'
import type { Deps } from '../../deps.ts'

/** Longer than any attempt takes. */
const LEASE_MS = 5 * 60_000
const KEPT_DAYS = 30
/** Minutes between one attempt and the next: ten attempts in two days. */
const PAUSES = [1, 5, 15, 60, 180, 360, 720, 720, 720]

/** How long a stop waits for a mail that is being sent. */
export const MAIL_GRACE_MS = 3000

type DeliveryDeps = Pick<Deps, 'db' | 'mailer' | 'log' | 'tasks'>

/**
 * Sends what is due in the outbox, one mail after the other, the longest due first (contract section 7, "Mail").
 * No transaction is open meanwhile. A process that dies between sending and noting it leaves a mail that goes out
 * again when its lease ends: twice at worst, never not at all. A server that can't be reached ends the round.
 */
export async function deliverDueMails(deps: DeliveryDeps): Promise<void> {
  const next = (signal: AbortSignal) => deliverNext(deps, signal)
  let goOn = true
  while (goOn && !deps.tasks.stopping) goOn = await deps.tasks.run(next, MAIL_GRACE_MS)
}

/** @returns whether the next mail is worth an attempt */
async function deliverNext({ db, mailer, log }: DeliveryDeps, signal: AbortSignal): Promise<boolean> {
  const mail = await claimDueMail(db, LEASE_MS)
  if (mail === undefined) return false
  const { id, recipient, subject, body, attempts, created_at: date } = mail
  const outgoing = { recipient, subject, body, date, key: `${date.getTime()}.${id}` }
  const outcome = await mailer.send(outgoing, { signal })
  if (outcome.delivered) {
    await markMailSent(db, id)
    return true
  }
  const { failure, message: reason } = outcome
  if (failure === 'CLOSED') {
    await releaseMail(db, mail)
    return false
  }
  const pause = failure === 'REFUSED' ? undefined : PAUSES[attempts - 1]
  if (pause === undefined) {
    await failMail(db, mail, reason)
    log.error({ mail: id, attempts, reason }, 'mail given up')
  } else {
    await postponeMail(db, mail, pause * 60_000, reason)
    log.warn({ mail: id, attempts, reason }, 'mail not delivered yet')
  }
  return failure !== 'UNREACHABLE'
}

/** Forgets mails that were sent or given up more than 30 days ago. */
export async function purgeMails({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
  const deleted = await deleteOldMails(db, KEPT_DAYS)
  if (deleted > 0) log.info({ deleted }, 'old mails deleted')
}
