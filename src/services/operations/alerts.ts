import { enqueueMail } from '../../../db/queries/mail/outbox.ts'
import * as queries from '../../../db/queries/operations/alerts.ts'
import { listRefusals } from '../../../db/queries/published/publications.ts'
import type { Deps } from '../../deps.ts'
import { messageOf } from '../../errors.ts'
import type { Language } from '../../rules/form-sentences.ts'
import { alertMail } from '../../rules/mail/staff.ts'
import { ALERT_NAMES, ALERTS, type AlertName } from '../../rules/operations/alerts.ts'
import { readEmails, type SettingValues } from '../../rules/settings/keys.ts'
import { findRequestToAccept } from '../../rules/supplier/readings.ts'
import { withoutAddresses } from '../../rules/text.ts'
import { write } from '../../runtime/write.ts'
import { Alert } from '../../schemas/operations.ts'
import { mailContext } from '../mail/mail.ts'
import { PIPELINE } from '../pipeline/runs.ts'
import { recoverRuns } from '../runs.ts'
import { freshSetting, settingValues } from '../settings/settings.ts'
import { toWire } from '../wire.ts'
import { rejectAfter } from './health.ts'

const MAX_LISTED = 100

/** Lists open alerts and past ones (contract section 11, "Alerts"). */
export async function listAlerts({ db }: Deps, language: Language): Promise<Alert[]> {
  const alerts = await queries.listAlerts(db, MAX_LISTED)
  return alerts.map((row) => toWire(Alert, { ...row, summary: ALERTS[row.name][language] }))
}

/**
 * Checks all conditions. An alert that begins, or is over, writes its row and its mails in one transaction, so that each
 * is mailed once however many instances check.
 * @throws AggregateError when conditions could not be checked; the others were
 */
export async function checkAlerts(deps: Deps): Promise<void> {
  const settings = await settingValues(deps)
  const now = deps.now()
  const failures: unknown[] = []
  for (const name of ALERT_NAMES) {
    try {
      const finding = await CONDITIONS[name](deps, now, settings)
      if (finding !== undefined) await recordFinding(deps, name, finding, now, settings)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Conditions of alerts could not be checked')
}

async function recordFinding(
  deps: Deps,
  name: AlertName,
  finding: string | null,
  now: Date,
  settings: SettingValues,
): Promise<void> {
  const changed = await write(deps, async (tx) => {
    const alert =
      finding === null ? await queries.closeAlert(tx.db, name, now) : await queries.openAlert(tx.db, name, finding, now)
    if (alert === undefined) return undefined
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

/** Details of what is wrong; null if nothing is; undefined while work in progress will decide. */
type Finding = string | null | undefined

const STORAGE_KEY = 'write-check'
const BYTES = Buffer.alloc(4096, 'x')
const STORAGE_TIMEOUT_MS = 30_000

/** What operators are alerted of (contract section 11, "Alerts"); docs/alerts.md describes each. */
const CONDITIONS: Record<AlertName, (deps: Deps, now: Date, settings: SettingValues) => Promise<Finding>> = {
  async SyncStale({ db }, now) {
    // A sync whose schedule is switched off is meant to be stale.
    if ((await freshSetting({ db }, 'job_sync_enabled')) === 'false') return null
    const minutes = Number(await freshSetting({ db }, 'alert_sync_minutes'))
    const { since, succeeded_at, last_error } = await queries.readSyncProgress(db)
    if (since === null || now.getTime() - since.getTime() < minutes * 60_000) return null
    const lastSuccess = succeeded_at?.toISOString() ?? 'never'
    return `Last success: ${lastSuccess}. Last error: ${last_error ?? 'none'}`
  },
  SyncWaiting: async ({ db }) => findRequestToAccept(await queries.readLastSyncWarnings(db)),
  async FeedRefused({ db }) {
    const refusals = await listRefusals(db)
    if (refusals.length === 0) return null
    return refusals.map(({ kind, refusal }) => `${kind}: ${refusal}`).join('; ')
  },
  async PipelineFailed(deps) {
    let run = await queries.findLastPipelineRun(deps.db)
    if (run?.status === 'RUNNING') {
      // Until an instance or another run starts, nothing else notices that the process of a run has died.
      await recoverRuns(deps, PIPELINE)
      run = await queries.findLastPipelineRun(deps.db)
    }
    if (run?.status === 'RUNNING') return undefined
    return run?.status === 'FAILED' ? `Run ${run.id}: ${run.error}` : null
  },
  async MailsFailing({ db }, now, { alert_email, notification_email }) {
    const staff = [...readEmails(alert_email), ...readEmails(notification_email)]
    const { count, since, last_error } = await queries.countFailingMails(db, now, staff)
    if (since === null) return null
    return `Mails: ${count}, the oldest of ${since.toISOString()}. Last error: ${last_error}`
  },
  WebhooksFailing: async ({ db }, now) => describeWebhook(await queries.findFailingWebhook(db, now)),
  WebhookSwitchedOff: async ({ db }) => describeWebhook(await queries.findSwitchedOffWebhook(db)),
  async StorageNotWritable({ storage, instance }) {
    // Permissions say nothing of a full disk. The object stays, so that no list names what is gone.
    const put = () => storage.put(STORAGE_KEY, BYTES, { contentType: 'application/octet-stream' })
    try {
      await Promise.race([put(), rejectAfter(STORAGE_TIMEOUT_MS)])
      return null
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error
      return `As ${instance} sees it: ${messageOf(cause)}`
    }
  },
}

/** Without its URL, which may hold a secret. */
function describeWebhook(found: queries.FailedWebhook | undefined): Finding {
  if (found === undefined) return null
  const { id, since, last_error } = found
  return `Webhook ${id}, since ${since.toISOString()}. Last error: ${last_error ?? 'none'}`
}
