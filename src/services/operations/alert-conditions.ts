import { setTimeout as sleep } from 'node:timers/promises'
import * as conditions from '../../../db/queries/operations/alert-conditions.ts'
import { listRefusals } from '../../../db/queries/published/publications.ts'
import type { Deps } from '../../deps.ts'
import type { AlertName } from '../../rules/operations/alerts.ts'
import { findRequestToAccept } from '../../rules/supplier/full-loads.ts'
import { recoverPipeline } from '../pipeline/run.ts'
import { freshSetting } from '../settings/settings.ts'

/** UNKNOWN: work in progress will decide. */
type Finding = { details: string } | 'ABSENT' | 'UNKNOWN'

export type Check = {
  now: Date
  /** Addresses of the shop's own people. */
  staff: string[]
}

/** What operators are alerted of (contract section 11, "Alerts"); docs/alerts.md describes each. */
export const CONDITIONS: Record<AlertName, (deps: Deps, check: Check) => Promise<Finding>> = {
  SyncStale: findStaleSync,
  SyncWaiting: findWaitingSync,
  FeedRefused: findRefusedFeed,
  PipelineFailed: findFailedPipeline,
  MailsFailing: findFailingMails,
  WebhooksFailing: findFailingWebhooks,
  WebhookSwitchedOff: findSwitchedOffWebhook,
  StorageNotWritable: findUnwritableStorage,
}

/** A sync whose schedule is switched off is meant to be stale. */
async function findStaleSync({ db }: Deps, { now }: Check): Promise<Finding> {
  if ((await freshSetting({ db }, 'job_sync_enabled')) === 'false') return 'ABSENT'
  const minutes = Number(await freshSetting({ db }, 'alert_sync_minutes'))
  const { since, succeeded_at, last_error } = await conditions.readSyncProgress(db)
  if (since === null || now.getTime() - since.getTime() < minutes * 60_000) return 'ABSENT'
  return {
    details: `Last success: ${succeeded_at?.toISOString() ?? 'never'}. Last error: ${last_error ?? 'none'}`,
  }
}

async function findWaitingSync({ db }: Deps): Promise<Finding> {
  const run = await conditions.findLastSuccessfulSync(db)
  const warning = findRequestToAccept(run?.warnings ?? [])
  return warning === null ? 'ABSENT' : { details: warning }
}

async function findRefusedFeed({ db }: Deps): Promise<Finding> {
  const refusals = await listRefusals(db)
  if (refusals.length === 0) return 'ABSENT'
  return { details: refusals.map(({ kind, refusal }) => `${kind}: ${refusal}`).join('; ') }
}

/** Until an instance or another run starts, nothing else notices that the process of a run has died. */
async function findFailedPipeline(deps: Deps): Promise<Finding> {
  let run = await conditions.findLastPipelineRun(deps.db)
  if (run?.status === 'RUNNING') {
    await recoverPipeline(deps)
    run = await conditions.findLastPipelineRun(deps.db)
  }
  if (run?.status === 'RUNNING') return 'UNKNOWN'
  return run?.status === 'FAILED' ? { details: `Run ${run.id}: ${run.error}` } : 'ABSENT'
}

async function findFailingMails({ db }: Deps, { now, staff }: Check): Promise<Finding> {
  const { count, since, last_error } = await conditions.countFailingMails(db, now, staff)
  if (since === null) return 'ABSENT'
  return { details: `Mails: ${count}, the oldest of ${since.toISOString()}. Last error: ${last_error}` }
}

async function findFailingWebhooks({ db }: Deps, { now }: Check): Promise<Finding> {
  return describeWebhook(await conditions.findFailingWebhook(db, now))
}

async function findSwitchedOffWebhook({ db }: Deps): Promise<Finding> {
  return describeWebhook(await conditions.findSwitchedOffWebhook(db))
}

/** Without its URL, which may hold a secret. */
function describeWebhook(found: conditions.FailedWebhook | undefined): Finding {
  if (found === undefined) return 'ABSENT'
  const { id, since, last_error } = found
  return { details: `Webhook ${id}, since ${since.toISOString()}. Last error: ${last_error ?? 'none'}` }
}

const STORAGE_KEY = 'write-check'
const BYTES = Buffer.alloc(4096, 'x')
const STORAGE_TIMEOUT_MS = 30_000

/** Writes an object, since permissions say nothing of a full disk. It stays, so that no list names what is gone. */
async function findUnwritableStorage({ storage, checkDataDir, instance }: Deps): Promise<Finding> {
  const put = () => storage.put(STORAGE_KEY, BYTES, { contentType: 'application/octet-stream' })
  const written = checkDataDir().then(put)
  const timeout = sleep(STORAGE_TIMEOUT_MS, new Error(`No answer within ${STORAGE_TIMEOUT_MS / 1000} s`), {
    ref: false,
  })
  const fault = await Promise.race([written.then(() => null, causeOf), timeout])
  return fault === null ? 'ABSENT' : { details: `As ${instance} sees it: ${fault.message}` }
}

function causeOf(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? error.cause : error
}
