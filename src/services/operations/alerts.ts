import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import * as queries from '../../../db/queries/operations/alerts.ts'
import type { Deps } from '../../deps.ts'
import { type Language, messageOf } from '../../errors.ts'
import { alertMail } from '../../rules/mail/staff.ts'
import { ALERT_NAMES, ALERTS, type AlertName } from '../../rules/operations/alerts.ts'
import type { SettingValues } from '../../rules/settings/keys.ts'
import { readEmails } from '../../rules/settings/values.ts'
import { withoutAddresses } from '../../rules/text.ts'
import { write } from '../../runtime/write.ts'
import type { Alert } from '../../schemas/alerts.ts'
import { mailContext } from '../mail/mail.ts'
import { settingValues } from '../settings/settings.ts'
import { rejectAfter } from './health.ts'

const MAX_LISTED = 100

/** Lists open alerts and past ones (docs/alerts.md). */
export async function listAlerts({ db }: Deps, language: Language): Promise<Alert[]> {
  const alerts = await queries.listAlerts(db, MAX_LISTED)
  return alerts.map((row) => ({
    id: row.id,
    name: row.name,
    summary: ALERTS[row.name][language],
    details: row.details,
    beganAt: row.began_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  }))
}

/**
 * Checks all conditions. An alert that begins, or is over, writes its row and its mails in one transaction, so that each
 * is mailed once however many instances check.
 */
export async function checkAlerts(deps: Deps): Promise<void> {
  const settings = await settingValues(deps)
  const staff = [...readEmails(settings.alert_email), ...readEmails(settings.notification_email)]
  const syncMinutes = Number(settings.alert_sync_minutes)
  const found = await queries.findConditions(deps.db, { now: deps.now(), syncMinutes, staff })
  const details = new Map(found.map((condition) => [condition.name, condition.details]))
  const storageFault = await tryStorage(deps)
  if (storageFault !== null) details.set('StorageNotWritable', storageFault)
  for (const name of ALERT_NAMES) await recordFinding(deps, name, details.get(name) ?? null, settings)
}

async function recordFinding(deps: Deps, name: AlertName, finding: string | null, settings: SettingValues) {
  const now = deps.now()
  const changed = await write(deps, async (tx) => {
    const alert =
      finding === null ? await queries.closeAlert(tx.db, name, now) : await queries.openAlert(tx.db, name, finding, now)
    if (alert === undefined) return undefined
    tx.recordChange('alert', [name])
    const mail = alertMail(mailContext(deps.config, settings), alert)
    const recipients = readEmails(settings.alert_email || settings.notification_email)
    await enqueueMail(tx.db, ...recipients.map((recipient) => ({ recipient, ...mail })))
    return alert
  })
  if (changed === undefined) return
  const { id, details, ended_at } = changed
  if (ended_at === null) deps.log.warn({ alert: name, id, details: withoutAddresses(details) }, 'alert began')
  else deps.log.info({ alert: name, id, endedAt: ended_at }, 'alert ended')
}

const STORAGE_TIMEOUT_MS = 30_000

/** @returns what is wrong with the storage; null: it accepts writes */
async function tryStorage({ storage, instance }: Deps): Promise<string | null> {
  try {
    await Promise.race([storage.check(), rejectAfter(STORAGE_TIMEOUT_MS)])
    return null
  } catch (error) {
    return `As ${instance} sees it: ${messageOf(error)}`
  }
}
