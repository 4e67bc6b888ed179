import { setTimeout as sleep } from 'node:timers/promises'
import { type AdvisoryLock, type AdvisoryLockName, tryLock } from '../../../db/locks.ts'
import {
  deleteRequests,
  hasOverdueRequest,
  listRequests,
  recordCheck,
} from '../../../db/queries/published/publications.ts'
import { FEED_KINDS, PUBLICATION_KINDS, type PublicationKind } from '../../../db/tables/publications.ts'
import type { BuildOutcome, Deps } from '../../deps.ts'
import { AppError, FeedError } from '../../errors.ts'
import { GOOGLE_MERCHANT } from '../../rules/published/google-merchant.ts'
import { YML } from '../../rules/published/yml.ts'
import type { LocalPublication } from '../../runtime/cache/published-files.ts'
import { build, type Publication } from './drafts.ts'
import { feedPublication } from './feed.ts'
import { sitemapPublication } from './sitemap.ts'

const PUBLICATIONS: Record<PublicationKind, Publication> = {
  feed: feedPublication(YML, 'ymlFeed'),
  'google-merchant': feedPublication(GOOGLE_MERCHANT, 'googleFeed'),
  sitemap: sitemapPublication(),
}

const DEBOUNCE_MS = 2000
const MAX_DEBOUNCE_MS = 30_000
/** Longer than any debounce. */
const OVERDUE_SECONDS = 60
const LOCK_RETRY_MS = 500
const LOCK_TIMEOUT_MS = 600_000
const RETRY_AFTER_SECONDS = 60

/** Builds and publishes the current data. Calls during a build share the next one. Never rejects. */
export function rebuild(deps: Deps, kind: PublicationKind): Promise<BuildOutcome> {
  const { tasks, publications } = deps
  const build = () => tasks.run((signal) => timed(deps, kind, signal))
  // No build begins once the shop stops.
  return publications[kind].builds.runNext(build).catch(() => ({ ...failed(true), durationMs: 0 }))
}

/** Rebuilds all feeds as a job. @throws FeedError when one could not be built, or failed its own check */
export async function runFeedRebuild(deps: Deps): Promise<void> {
  const faults: string[] = []
  for (const kind of FEED_KINDS) {
    const { status, reason } = await rebuild(deps, kind)
    if (status === 'FAILED' || status === 'REJECTED') faults.push(`${kind}: ${reason ?? status}`)
  }
  if (faults.length > 0) throw new FeedError(faults.join('; '))
}

/** Schedules a debounced rebuild in the background. */
export function requestRebuild(deps: Deps, kind: PublicationKind): void {
  const { log, tasks } = deps
  const name = `${kind} rebuild`
  if (!tasks.stopping && !tasks.isScheduled(name)) log.info(`${name} requested`)
  tasks.debounce(name, { quietMs: DEBOUNCE_MS, latestMs: MAX_DEBOUNCE_MS }, () => void rebuild(deps, kind))
}

/** Rebuilds what a crash or a failed build has left unbuilt for so long. */
export async function rebuildOverduePublications(deps: Deps, seconds = OVERDUE_SECONDS): Promise<void> {
  for (const kind of PUBLICATION_KINDS) {
    if (await hasOverdueRequest(deps.db, kind, seconds)) await rebuild(deps, kind)
  }
}

/** Finds the published files, or builds the first ones. @throws AppError 503 */
export async function findOrBuild(deps: Deps, kind: PublicationKind): Promise<LocalPublication> {
  const { files, builds } = deps.publications[kind]
  const published = await files.newest()
  if (published !== null) return published
  await (builds.running ?? rebuild(deps, kind))
  const first = await files.newest()
  if (first !== null) return first
  const message = (await PUBLICATIONS[kind].findObstacle(deps)) ?? `The ${kind} could not be built`
  throw new AppError(503, 'UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS })
}

async function timed(deps: Deps, kind: PublicationKind, signal: AbortSignal): Promise<BuildOutcome> {
  const { log } = deps
  const startedAt = performance.now()
  const built = await buildLocked(deps, kind, signal).catch((err: unknown) => {
    if (!signal.aborted) log.error({ err }, `${kind} build failed`)
    return failed(signal.aborted)
  })
  const outcome = { ...built, durationMs: Math.round(performance.now() - startedAt) }
  if (built.status === 'REJECTED') log.warn(outcome, `${kind} rejected`)
  else if (built.status !== 'FAILED') log.info(outcome, `${kind} ${built.status.toLowerCase()}`)
  return outcome
}

type Built = Omit<BuildOutcome, 'durationMs'>

async function buildLocked(deps: Deps, kind: PublicationKind, signal: AbortSignal): Promise<Built> {
  const { config, db, log, publications } = deps
  const publication = PUBLICATIONS[kind]
  const requests = await listRequests(db, kind)
  const obstacle = await publication.findObstacle(deps)
  if (obstacle !== null) {
    await deleteRequests(db, requests)
    return { status: 'REJECTED', entries: 0, excluded: {}, reason: obstacle }
  }
  await publications[kind].files.prepare()
  const lock = await waitForLock(config.databaseUrl, publication.lock, signal)
  try {
    const outcome = await build(deps, kind, publication, AbortSignal.any([signal, lock.lost]))
    const refusal = outcome.status === 'REJECTED' ? outcome.reason : null
    await recordCheck(db, kind, refusal, deps.now())
    // A build that failed throws, which leaves its requests to `rebuildOverduePublications`.
    await deleteRequests(db, requests)
    return outcome
  } finally {
    await lock.release().catch((err: unknown) => log.warn({ err }, `${kind} lock not released`))
  }
}

function failed(stopping: boolean): Built {
  const reason = stopping ? 'The instance is stopping' : 'Internal error; see the log'
  return { status: 'FAILED', entries: 0, excluded: {}, reason }
}

/** Waits for the build of another instance, which may have started before the change that is to be published. */
async function waitForLock(
  databaseUrl: string,
  name: AdvisoryLockName,
  signal: AbortSignal,
): Promise<AdvisoryLock> {
  for (const end = performance.now() + LOCK_TIMEOUT_MS; ; ) {
    signal.throwIfAborted()
    const lock = await tryLock(databaseUrl, name)
    if (lock !== null) return lock
    if (performance.now() > end) throw new Error(`Another instance has held the lock ${name} for too long`)
    await sleep(LOCK_RETRY_MS, undefined, { signal })
  }
}
