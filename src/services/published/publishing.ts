import { setTimeout as sleep } from 'node:timers/promises'
import { type AdvisoryLock, type AdvisoryLockName, tryLock } from '../../../db/advisory-locks.ts'
import { recordCheck } from '../../../db/queries/published/checks.ts'
import { deleteRequests, hasOverdueRequest, listRequests } from '../../../db/queries/published/requests.ts'
import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import type { Deps, Published } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { LocalPublication } from '../../runtime/cache/published-files.ts'

const DEBOUNCE_MS = 2000
const MAX_DEBOUNCE_MS = 30_000
/** Longer than any debounce. */
export const OVERDUE_SECONDS = 60
const LOCK_RETRY_MS = 500
const LOCK_TIMEOUT_MS = 600_000
const RETRY_AFTER_SECONDS = 60

export type PublishDeps = Pick<
  Deps,
  'config' | 'db' | 'log' | 'metrics' | 'now' | 'changes' | 'tasks' | 'feeds' | 'sitemap'
>

export type Built = Pick<FeedOutcome, 'status' | 'reason'>
type Timed<Outcome> = Outcome & { durationMs: number }

/** A file, or several, built as a whole and served prebuilt. */
export type Publication<Outcome extends Built> = {
  kind: PublicationKind
  lock: AdvisoryLockName
  of(deps: PublishDeps): Published<Timed<Outcome>>
  /** Builds in the folder, under the lock, and publishes a change. Rejects when the signal is aborted. */
  build(deps: PublishDeps, folder: string, signal: AbortSignal): Promise<Outcome>
  failed(reason: string): Outcome
  /** The reason why nothing can be built yet, or null. */
  missing(deps: PublishDeps): Promise<string | null>
}

/** Builds and publishes the current data. Calls during a build share the next one. Never rejects. */
export async function rebuild<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
): Promise<Timed<Outcome>> {
  const { log, tasks } = deps
  try {
    return await tasks.runNext(publication.of(deps).builds, (signal) => timed(deps, publication, signal))
  } catch (error) {
    if (!tasks.stopping) log.error({ err: error }, `${publication.kind} build failed`)
    return { ...failure(publication, tasks.stopping), durationMs: 0 }
  }
}

/** Schedules a debounced rebuild in the background. */
export function requestRebuild<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  reason: string,
): void {
  const { log, tasks } = deps
  if (tasks.stopping) return
  const { builds } = publication.of(deps)
  if (builds.timer === undefined) log.info({ reason }, `${publication.kind} rebuild requested`)
  tasks.debounce(builds, { quietMs: DEBOUNCE_MS, latestMs: MAX_DEBOUNCE_MS }, () =>
    rebuild(deps, publication),
  )
}

/** Rebuilds what a crash or a failed build has left unbuilt for so long. */
export async function rebuildOverdue<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  seconds: number,
): Promise<void> {
  const isOverdue = await hasOverdueRequest(deps.db, publication.kind, seconds)
  if (isOverdue) await rebuild(deps, publication)
}

/** Finds the published files, or builds the first ones. @throws AppError 503 */
export async function findOrBuild<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
): Promise<LocalPublication> {
  const { files, builds } = publication.of(deps)
  const published = await files.newest()
  if (published !== null) return published
  await (builds.running ?? rebuild(deps, publication))
  const first = await files.newest()
  if (first !== null) return first
  const message = (await publication.missing(deps)) ?? `The ${publication.kind} could not be built`
  throw new AppError(503, 'UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS })
}

async function timed<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  signal: AbortSignal,
): Promise<Timed<Outcome>> {
  const { log, metrics } = deps
  const startedAt = performance.now()
  const built = await attempt(deps, publication, signal)
  const outcome = { ...built, durationMs: Math.round(performance.now() - startedAt) }
  const line: object = outcome
  metrics.publicationBuilds.inc({ kind: publication.kind, result: built.status.toLowerCase() })
  // Failures are logged where they occur.
  if (built.status === 'REJECTED') log.warn(line, `${publication.kind} rejected`)
  else if (built.status === 'UNCHANGED') log.info(line, `${publication.kind} unchanged`)
  else if (built.status === 'PUBLISHED') log.info(line, `${publication.kind} rebuilt`)
  return outcome
}

async function attempt<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { config, db, log } = deps
  const { files } = publication.of(deps)
  let lock: AdvisoryLock | undefined
  try {
    const requests = await listRequests(db, publication.kind)
    const missing = await publication.missing(deps)
    if (missing !== null) {
      await deleteRequests(db, requests)
      return { ...publication.failed(missing), status: 'REJECTED' }
    }
    await files.prepare()
    lock = await waitForLock(config.databaseUrl, publication.lock, signal)
    const outcome = await publication.build(deps, files.folder, AbortSignal.any([signal, lock.lost]))
    const refusal = outcome.status === 'REJECTED' ? outcome.reason : null
    await recordCheck(db, publication.kind, refusal, deps.now())
    // A build that failed throws, which leaves its requests to `rebuildOverdue`.
    await deleteRequests(db, requests)
    return outcome
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, `${publication.kind} build failed`)
    return failure(publication, signal.aborted)
  } finally {
    const unreleased = (error: unknown) => log.warn({ err: error }, `${publication.kind} lock not released`)
    await lock?.release().catch(unreleased)
  }
}

function failure<Outcome extends Built>(publication: Publication<Outcome>, stopping: boolean): Outcome {
  return publication.failed(stopping ? 'The instance is stopping' : 'Internal error; see the log')
}

/** Waits for the build of another instance, which may have started before the change that is to be published. */
async function waitForLock(
  databaseUrl: string,
  name: AdvisoryLockName,
  signal: AbortSignal,
): Promise<AdvisoryLock> {
  for (const end = Date.now() + LOCK_TIMEOUT_MS; ; ) {
    signal.throwIfAborted()
    const lock = await tryLock(databaseUrl, name)
    if (lock !== null) return lock
    if (Date.now() > end) throw new Error(`Another instance has held the lock ${name} for too long`)
    await sleep(LOCK_RETRY_MS, undefined, { signal })
  }
}
