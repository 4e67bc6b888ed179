import { setTimeout as sleep } from 'node:timers/promises'
import { type HeldLock, tryLock } from '../../../db/held-locks.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { buildFeed } from './feed-build.ts'
import { createFeedFiles, type FeedFiles, type LocalFeed } from './feed-files.ts'

const DEBOUNCE_MS = 2000
const LOCK_RETRY_MS = 500
const LOCK_PATIENCE_MS = 600_000

export type Feed = {
  /**
   * Builds and publishes the feed from the data as they are now. Calls during a build share one more, which begins
   * behind it. Never rejects: what went wrong is in the outcome, and in the log.
   */
  rebuild(): Promise<FeedOutcome>
  /** A rebuild soon, in the background; requests that follow one another quickly share it. */
  requestRebuild(reason: string): void
  /** The published feed; before there is one, it is built. @throws AppError 503 when it can't be */
  newest(): Promise<LocalFeed>
  open: FeedFiles['open']
  /** Ends the build under way; none is begun any more. */
  stop(): Promise<void>
}

type FeedDeps = Pick<Deps, 'config' | 'db' | 'log' | 'now' | 'caches'>

/** The YML feed of this instance (contract section 8, "Feed"). */
export function createFeed(deps: FeedDeps): Feed {
  const { log } = deps
  const files = createFeedFiles(deps)
  const stopping = new AbortController()
  let running: Promise<FeedOutcome> | undefined
  let next: Promise<FeedOutcome> | undefined
  let timer: NodeJS.Timeout | undefined

  function begin(): Promise<FeedOutcome> {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }

  function rebuild(): Promise<FeedOutcome> {
    if (running === undefined && next === undefined) return begin()
    next ??= (running ?? Promise.resolve()).then(() => {
      next = undefined
      return begin()
    })
    return next
  }

  async function run(): Promise<FeedOutcome> {
    const startedAt = performance.now()
    const outcome = await attempt()
    const durationMs = Math.round(performance.now() - startedAt)
    if (outcome.status === 'REJECTED') log.warn({ ...outcome, durationMs }, 'feed rejected')
    else log.info({ ...outcome, durationMs }, 'feed rebuilt')
    return { ...outcome, durationMs }
  }

  async function attempt(): Promise<Omit<FeedOutcome, 'durationMs'>> {
    let lock: HeldLock | undefined
    try {
      await files.prepare()
      lock = await waitForLock(deps.config.databaseUrl, stopping.signal)
      return await buildFeed(deps, files.folder, AbortSignal.any([stopping.signal, lock.lost]))
    } catch (error) {
      if (!stopping.signal.aborted) log.error({ err: error }, 'feed could not be built')
      const reason = stopping.signal.aborted ? 'The instance is stopping' : 'See the log of this instance'
      return { status: 'FAILED', offers: 0, excluded: {}, reason }
    } finally {
      await lock?.release().catch((error: unknown) => log.warn({ err: error }, 'feed lock not released'))
    }
  }

  async function newest(): Promise<LocalFeed> {
    const published = await files.newest()
    if (published !== null) return published
    await (running ?? rebuild())
    const first = await files.newest()
    if (first === null) {
      throw new AppError(503, 'UNAVAILABLE', 'The feed can not be built now', { retryAfter: 60 })
    }
    return first
  }

  return {
    rebuild,
    newest,
    open: files.open,
    requestRebuild(reason) {
      if (stopping.signal.aborted) return
      log.info({ reason }, 'feed rebuild requested')
      clearTimeout(timer)
      timer = setTimeout(() => void rebuild(), DEBOUNCE_MS)
    },
    async stop() {
      clearTimeout(timer)
      stopping.abort()
      await (next ?? running)
    },
  }
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
