import { setTimeout as sleep } from 'node:timers/promises'
import { type HeldLock, tryLock } from '../../../db/held-locks.ts'
import { wasEverFilled } from '../../../db/queries/supplier/states.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { KeptFile } from '../../runtime/kept-files.ts'
import { buildFeed } from './feed-build.ts'

const DEBOUNCE_MS = 2000
const LOCK_RETRY_MS = 500
const LOCK_PATIENCE_MS = 600_000
/** Readers come again in so many seconds. */
const RETRY_AFTER = 60
const NEVER_FILLED = 'The catalogue is empty until the first sync has ended'

type FeedDeps = Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'changes' | 'tasks' | 'feedBuilds' | 'feedFiles'>

/**
 * Builds and publishes the feed from the data as they are now (contract section 8, "Feed"). Calls during a build share
 * one more, which begins behind it. Never rejects: what went wrong is in the outcome, and in the log.
 */
export async function rebuildFeed(deps: FeedDeps): Promise<FeedOutcome> {
  const { log, tasks, feedBuilds } = deps
  try {
    return await tasks.follow(feedBuilds, (signal) => build(deps, signal))
  } catch (error) {
    if (!tasks.stopping) log.error({ err: error }, 'feed could not be built')
    return failed(tasks.stopping)
  }
}

/** A rebuild soon, in the background; requests that follow one another quickly share it. */
export function requestFeedRebuild(deps: FeedDeps, reason: string): void {
  if (deps.tasks.stopping) return
  deps.log.info({ reason }, 'feed rebuild requested')
  deps.tasks.followSoon(deps.feedBuilds, DEBOUNCE_MS, () => rebuildFeed(deps))
}

/** The published feed; before there is one, it is built. @throws AppError 503 when it can't be, or has nothing to show */
export async function newestFeed(deps: FeedDeps): Promise<KeptFile> {
  const published = await deps.feedFiles.newest()
  if (published !== null) return published
  await (deps.feedBuilds.running ?? rebuildFeed(deps))
  const first = await deps.feedFiles.newest()
  if (first === null) {
    const filled = await wasEverFilled(deps.db)
    const message = filled ? 'The feed can not be built now' : NEVER_FILLED
    throw new AppError(503, 'UNAVAILABLE', message, { retryAfter: RETRY_AFTER })
  }
  return first
}

async function build(deps: FeedDeps, signal: AbortSignal): Promise<FeedOutcome> {
  const { log } = deps
  const startedAt = performance.now()
  const outcome = await attempt(deps, signal)
  const durationMs = Math.round(performance.now() - startedAt)
  // What failed was said where it failed.
  if (outcome.status === 'REJECTED') log.warn({ ...outcome, durationMs }, 'feed rejected')
  else if (outcome.status === 'UNCHANGED') log.info({ ...outcome, durationMs }, 'feed unchanged')
  else if (outcome.status === 'PUBLISHED') log.info({ ...outcome, durationMs }, 'feed rebuilt')
  return { ...outcome, durationMs }
}

async function attempt(deps: FeedDeps, signal: AbortSignal): Promise<Omit<FeedOutcome, 'durationMs'>> {
  const { config, db, log, feedFiles } = deps
  let lock: HeldLock | undefined
  try {
    if (!(await wasEverFilled(db))) {
      return { status: 'REJECTED', offers: 0, excluded: {}, reason: NEVER_FILLED }
    }
    await feedFiles.prepare()
    lock = await waitForLock(config.databaseUrl, signal)
    return await buildFeed(deps, feedFiles.folder, AbortSignal.any([signal, lock.lost]))
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'feed could not be built')
    return failed(signal.aborted)
  } finally {
    await lock?.release().catch((error: unknown) => log.warn({ err: error }, 'feed lock not released'))
  }
}

function failed(stopping: boolean): FeedOutcome {
  const reason = stopping ? 'The instance is stopping' : 'See the log of this instance'
  return { status: 'FAILED', offers: 0, excluded: {}, reason, durationMs: 0 }
}

/** Waits for another instance's build to end: it may have begun before the change that this one is for. */
async function waitForLock(databaseUrl: string, signal: AbortSignal): Promise<HeldLock> {
  for (const end = Date.now() + LOCK_PATIENCE_MS; ; ) {
    signal.throwIfAborted()
    const lock = await tryLock(databaseUrl, 'ymlFeed')
    if (lock !== null) return lock
    if (Date.now() > end) throw new Error('Another instance has been building the feed for ten minutes')
    await sleep(LOCK_RETRY_MS, undefined, { signal })
  }
}
