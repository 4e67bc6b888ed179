import * as outbox from '../../../db/queries/mail/outbox.ts'
import { deleteRecord, lockRecord } from '../../../db/queries/records.ts'
import type { Deps } from '../../deps.ts'
import { conflict, found } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { write } from '../../runtime/write.ts'
import { Mail, type MailQuery } from '../../schemas/mails.ts'
import { toWire } from '../wire.ts'

const MAX_LISTED = 1000

/** Lists the newest mails, without their texts (contract section 11, "Repairs"). */
export async function listMails({ db }: Deps, { status }: MailQuery): Promise<Mail[]> {
  return (await outbox.listMails(db, status, MAX_LISTED)).map(toMail)
}

/** Makes a mail due at once, with all its attempts. @throws AppError 404; 409 MAIL_SENT */
export async function retryMail(deps: Deps, actor: Actor, id: number): Promise<Mail> {
  return write(deps, async (tx) => {
    const before = found(await lockRecord(tx.db, 'mails', id), 'mail')
    if (before.status === 'SENT') throw conflict('MAIL_SENT', 'This mail was sent')
    const after = toMail(await outbox.restartMail(tx.db, id))
    const { status, attempts } = before
    tx.audit({ actor, entity: 'MAIL', entityId: id, before: { status, attempts }, after: { ...after } })
    return after
  })
}

/** Deletes a mail, which is then not sent. @throws AppError 404 */
export async function deleteMail(deps: Deps, actor: Actor, id: number): Promise<void> {
  await write(deps, async (tx) => {
    const deleted = found(await deleteRecord(tx.db, 'mails', id), 'mail')
    const { recipient, subject, status } = deleted
    tx.audit({ actor, entity: 'MAIL', entityId: id, before: { recipient, subject, status }, after: null })
  })
}

function toMail(row: Omit<outbox.MailRow, 'body' | 'html' | 'sealed'>): Mail {
  return toWire(Mail, {
    ...row,
    next_attempt_at: row.status === 'PENDING' ? row.next_attempt_at : null,
  })
}
