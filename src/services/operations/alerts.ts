import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import * as rows from '../../../db/queries/operations/alerts.ts'
import type { AlertRow } from '../../../db/tables/operations.ts'
import type { Deps } from '../../deps.ts'
import { alertMail } from '../../rules/mail/alerts.ts'
import type { MailContext } from '../../rules/mail/language.ts'
import { ALERT_NAMES, ALERTS, type AlertName, QUIET_MINUTES } from '../../rules/operations/alerts.ts'
import { readEmails } from '../../rules/settings/keys.ts'
import { withoutAddresses } from '../../rules/text.ts'
import { type UnitOfWork, write } from '../../runtime/write.ts'
import { Alert } from '../../schemas/operations.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
import { type Check, CONDITIONS } from './alert-conditions.ts'

const MAX_LISTED = 100
const RETENTION_DAYS = 90

type Mailing = { recipients: string[]; context: MailContext }

/** Lists open alerts and past ones (contract section 11, "Alerts"). */
export async function listAlerts({ db }: Deps): Promise<Alert[]> {
  return (await rows.listAlerts(db, MAX_LISTED)).map(toAlert)
}

/**
 * Checks all conditions. An alert that begins, or is over, writes its row and its mails in one transaction, so that each
 * is mailed once however many instances check.
 * @throws AggregateError when conditions could not be checked; the others were
 */
export async function checkAlerts(deps: Deps): Promise<void> {
  const settings = await settingValues(deps)
  const { alert_email, notification_email } = settings
  const staff = readEmails(alert_email).concat(readEmails(notification_email))
  const check = { now: deps.now(), staff }
  const recipients = readEmails(alert_email || notification_email)
  const mailing = { recipients, context: mailContext(deps.config, settings) }
  const failures: unknown[] = []
  for (const name of ALERT_NAMES) {
    await checkCondition(deps, name, check, mailing).catch((error) => failures.push(error))
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Conditions of alerts could not be checked')
}

async function checkCondition(deps: Deps, name: AlertName, check: Check, mailing: Mailing): Promise<void> {
  const finding = await CONDITIONS[name](deps, check)
  if (finding === 'UNKNOWN') return
  const changed = await write(deps, async (tx) => {
    const alert =
      finding === 'ABSENT'
        ? await rows.closeAlert(tx.db, name, check.now, QUIET_MINUTES)
        : await rows.openAlert(tx.db, { name, details: finding.details, began_at: check.now })
    if (alert !== undefined) await mailAlert(tx, alert, mailing)
    return alert
  })
  if (changed === undefined) return
  const { id, details } = changed
  if (changed.ended_at === null)
    deps.log.warn({ alert: name, id, details: withoutAddresses(details) }, 'alert began')
  else deps.log.info({ alert: name, id, endedAt: changed.ended_at }, 'alert ended')
}

async function mailAlert(tx: UnitOfWork, alert: AlertRow, { recipients, context }: Mailing): Promise<void> {
  const mail = alertMail(context, alert)
  await enqueueMail(tx.db, ...recipients.map((recipient) => ({ recipient, ...mail })))
}

/** Deletes alerts that have long been over. */
export async function purgeAlerts({ db, now }: Deps): Promise<void> {
  await rows.deletePastAlerts(db, new Date(now().getTime() - RETENTION_DAYS * 24 * 3_600_000))
}

function toAlert(row: AlertRow): Alert {
  const { en, lookAt } = ALERTS[row.name]
  return toWire(Alert, { ...row, summary: en.meaning, look_at: lookAt })
}
