import { wasEverFilled } from '../../../db/queries/supplier/states.ts'
import type { FeedOutcome } from '../../../db/tables/sync.ts'
import { buildFeed } from './feed-build.ts'
import { type Publication, type PublishDeps, rebuild, requestRebuild } from './publishing.ts'

const NEVER_FILLED = 'The catalogue is empty until the first sync has ended'

/** The catalogue as YML (contract section 8, "Feed"). */
export const FEED: Publication<Omit<FeedOutcome, 'durationMs'>> = {
  kind: 'feed',
  lock: 'ymlFeed',
  of: ({ feed }) => feed,
  build: buildFeed,
  failed: (reason) => ({ status: 'FAILED', offers: 0, excluded: {}, reason }),
  missing: async ({ db }) => ((await wasEverFilled(db)) ? null : NEVER_FILLED),
}

/** See rebuild of publishing.ts. */
export function rebuildFeed(deps: PublishDeps): Promise<FeedOutcome> {
  return rebuild(deps, FEED)
}

/** See requestRebuild of publishing.ts. */
export function requestFeedRebuild(deps: PublishDeps, reason: string): void {
  requestRebuild(deps, FEED, reason)
}
