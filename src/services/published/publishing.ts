import { setTimeout as sleep } from 'node:timers/promises'
import { type AdvisoryLock, type AdvisoryLockName, tryLock } from '../../../db/advisory-locks.ts'
import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import type { Deps, Published } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { LocalPublication } from '../../runtime/cache/published-files.ts'

/** After the last change of several in a row, and at the latest after the first of them. */
const QUIET_MS = 2000
const LATEST_MS = 30_000
const LOCK_RETRY_MS = 500
const LOCK_PATIENCE_MS = 600_000
/** Readers come again in so many seconds. */
const RETRY_AFTER = 60

export type PublishDeps = Pick<
  Deps,
  'config' | 'db' | 'log' | 'now' | 'changes' | 'tasks' | 'feed' | 'sitemap'
>

export type Built = Pick<FeedOutcome, 'status' | 'reason'>
type Timed<Outcome> = Outcome & { durationMs: number }

/** What is built as a whole, published whole or not at all, and served from prebuilt bytes. */
export type Publication<Outcome extends Built> = {
  kind: PublicationKind
  lock: AdvisoryLockName
  of(deps: PublishDeps): Published<Timed<Outcome>>
  /** Builds it in the folder, and publishes it if there is anything new. The signal ends it early; it rejects then. */
  build(deps: PublishDeps, folder: string, signal: AbortSignal): Promise<Outcome>
  failed(reason: string): Outcome
  /** Why there is nothing to build; null when there is. */
  missing(deps: PublishDeps): Promise<string | null>
}

/**
 * Builds and publishes it from the data as they are now. Calls during a build share one more, which begins behind it.
 * Never rejects: what went wrong is in the outcome, and in the log.
 */
export async function rebuild<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
): Promise<Timed<Outcome>> {
  const { log, tasks } = deps
  try {
    return await tasks.runNext(publication.of(deps).builds, (signal) => timed(deps, publication, signal))
  } catch (error) {
    if (!tasks.stopping) log.error({ err: error }, `${publication.kind} could not be built`)
    return { ...failure(publication, tasks.stopping), durationMs: 0 }
  }
}

/** A rebuild soon, in the background; requests that follow one another quickly share it. */
export function requestRebuild<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  reason: string,
): void {
  const { log, tasks } = deps
  if (tasks.stopping) return
  const { builds } = publication.of(deps)
  if (builds.timer === undefined) log.info({ reason }, `${publication.kind} rebuild requested`)
  tasks.debounce(builds, { quietMs: QUIET_MS, latestMs: LATEST_MS }, () => rebuild(deps, publication))
}

/** What is published; before anything is, it is built. @throws AppError 503 when it can't be, or has nothing to show */
export async function newest<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
): Promise<LocalPublication> {
  const { files, builds } = publication.of(deps)
  const published = await files.newest()
  if (published !== null) return published
  await (builds.running ?? rebuild(deps, publication))
  const first = await files.newest()
  if (first !== null) return first
  const message = (await publication.missing(deps)) ?? `The ${publication.kind} can not be built now`
  throw new AppError(503, 'UNAVAILABLE', message, { retryAfter: RETRY_AFTER })
}

async function timed<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  signal: AbortSignal,
): Promise<Timed<Outcome>> {
  const { log } = deps
  const startedAt = performance.now()
  const built = await attempt(deps, publication, signal)
  const outcome = { ...built, durationMs: Math.round(performance.now() - startedAt) }
  const said: object = outcome
  // What failed was said where it failed.
  if (built.status === 'REJECTED') log.warn(said, `${publication.kind} rejected`)
  else if (built.status === 'UNCHANGED') log.info(said, `${publication.kind} unchanged`)
  else if (built.status === 'PUBLISHED') log.info(said, `${publication.kind} rebuilt`)
  return outcome
}

async function attempt<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { config, log } = deps
  const { files } = publication.of(deps)
  let lock: AdvisoryLock | undefined
  try {
    const missing = await publication.missing(deps)
    if (missing !== null) return { ...publication.failed(missing), status: 'REJECTED' }
    await files.prepare()
    lock = await waitForLock(config.databaseUrl, publication.lock, signal)
    return await publication.build(deps, files.folder, AbortSignal.any([signal, lock.lost]))
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, `${publication.kind} could not be built`)
    return failure(publication, signal.aborted)
  } finally {
    const unreleased = (error: unknown) => log.warn({ err: error }, `${publication.kind} lock not released`)
    await lock?.release().catch(unreleased)
  }
}

function failure<Outcome extends Built>(publication: Publication<Outcome>, stopping: boolean): Outcome {
  return publication.failed(stopping ? 'The instance is stopping' : 'See the log of this instance')
}

/** Waits for another instance's build to end: it may have begun before the change that this one is for. */
async function waitForLock(
  databaseUrl: string,
  name: AdvisoryLockName,
  signal: AbortSignal,
): Promise<AdvisoryLock> {
  for (const end = Date.now() + LOCK_PATIENCE_MS; ; ) {
    signal.throwIfAborted()
    const lock = await tryLock(databaseUrl, name)
    if (lock !== null) return lock
    if (Date.now() > end) throw new Error(`Another instance has held the lock ${name} for ten minutes`)
    await sleep(LOCK_RETRY_MS, undefined, { signal })
  }
}
