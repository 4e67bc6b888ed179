import {
  claimDueMail,
  deleteOldMails,
  failMail,
  type MailRow,
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

type DeliveryDeps = Pick<Deps, 'db' | 'mailer' | 'log'>

/**
 * Sends what is due in the outbox, one mail after the other, the longest due first (contract section 7, "Mail").
 * No transaction is open meanwhile. A process that dies between sending and noting it leaves a mail that goes out
 * again when its lease ends: twice at worst, never not at all. A server that can't be reached ends the round.
 */
export async function deliverDueMails(deps: DeliveryDeps): Promise<void> {
  let goOn = true
  while (goOn) {
    const mail = await claimDueMail(deps.db, LEASE_MS)
    goOn = mail !== undefined && (await deliver(deps, mail))
  }
}

/** @returns whether the next mail is worth an attempt */
async function deliver({ db, mailer, log }: DeliveryDeps, mail: MailRow): Promise<boolean> {
  const { id, recipient, subject, body, attempts, created_at: date } = mail
  const outcome = await mailer.send({ recipient, subject, body, date, key: `${date.getTime()}.${id}` })
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
