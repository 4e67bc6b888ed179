import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { findRunningJob } from '../../../db/queries/operations/job-runs.ts'
import * as rows from '../../../db/queries/published/publications.ts'
import { FEED_KINDS, type PublicationKind } from '../../../db/tables/publications.ts'
import type { BuildOutcome, Deps } from '../../deps.ts'
import { AppError, FeedError } from '../../errors.ts'
import { GOOGLE_MERCHANT } from '../../rules/published/google-merchant.ts'
import { chooseEncoding, etagOf, isUnchanged } from '../../rules/published/http-caching.ts'
import { YML } from '../../rules/published/yml.ts'
import type { Published } from '../../runtime/cache/publications.ts'
import { type Built, build, type Publication } from './build.ts'
import { feedPublication } from './feed.ts'
import { sitemapPublication } from './sitemap.ts'

const PUBLICATIONS: Record<PublicationKind, Publication> = {
  feed: feedPublication(YML),
  'google-merchant': feedPublication(GOOGLE_MERCHANT),
  sitemap: sitemapPublication(),
}

const RETRY_AFTER_SECONDS = 60

/** Builds and publishes the current data. Calls during a build share the next one. Never rejects. */
export function rebuild(deps: Deps, kind: PublicationKind): Promise<BuildOutcome> {
  return deps.publications[kind].builds.runNext(() => timed(deps, kind))
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

/** Rebuilds what changes have made out of date, as a job, unless a sync runs, which rebuilds at its end. */
export async function rebuildOutdated(deps: Deps): Promise<void> {
  if (await findRunningJob(deps.db, 'supplier-sync')) return
  for (const kind of await rows.listRequestedKinds(deps.db)) await rebuild(deps, kind)
}

/**
 * Answers GET and HEAD with prebuilt bytes, plain or gzip, each with a strong ETag (docs/published.md).
 * @throws AppError 503 if none is published and none can be built
 */
export async function downloadPublication(
  deps: Deps,
  kind: PublicationKind,
  { method, headers: conditions }: { method: string; headers: IncomingHttpHeaders },
): Promise<{ status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }> {
  const published = await findOrBuild(deps, kind)
  const { id, built_at, content_hash, file } = published
  const encoding = chooseEncoding(conditions['accept-encoding'], ['gzip'])
  const etag = etagOf(`${id}-${content_hash.slice(0, 16)}`, encoding)
  const headers = {
    etag,
    'last-modified': built_at.toUTCString(),
    // Clients may cache it but must revalidate.
    'cache-control': 'public, no-cache',
    vary: 'Accept-Encoding',
  }
  if (isUnchanged(conditions, { etag, modified: { at: built_at, now: deps.now() } })) {
    return { status: 304, headers, body: undefined }
  }
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(encoding === 'gzip' ? file.gzipSize : file.size),
      ...(encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    },
    body: method === 'HEAD' ? undefined : published.read(encoding),
  }
}

/** Finds the publication, or builds the first one. @throws AppError 503 */
async function findOrBuild(deps: Deps, kind: PublicationKind): Promise<Published> {
  const { published, builds } = deps.publications[kind]
  const found = await published()
  if (found !== undefined) return found
  const obstacle = await PUBLICATIONS[kind].findObstacle(deps)
  if (obstacle === null) await (builds.running ?? rebuild(deps, kind))
  const first = await published()
  if (first !== undefined) return first
  const message = obstacle ?? `The ${kind} could not be built`
  throw new AppError(503, 'UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS })
}

async function timed(deps: Deps, kind: PublicationKind): Promise<BuildOutcome> {
  const { log, tasks } = deps
  const startedAt = performance.now()
  const built = await tasks
    .run((signal) => buildRequested(deps, kind, signal))
    .catch((err: unknown): Built => {
      // No build begins once the shop stops.
      if (!tasks.stopping) log.error({ err }, `${kind} build failed`)
      const reason = tasks.stopping ? 'The instance is stopping' : 'Internal error; see the log'
      return { status: 'FAILED', entries: 0, excluded: {}, reason }
    })
  const outcome = { ...built, durationMs: Math.round(performance.now() - startedAt) }
  if (built.status === 'REJECTED') log.warn(outcome, `${kind} rejected`)
  else if (built.status === 'UNCHANGED') log.debug(outcome, `${kind} unchanged`)
  else if (built.status === 'PUBLISHED') log.info(outcome, `${kind} published`)
  return outcome
}

/** Builds, and deletes the requests that this fulfils. If it throws, they remain for `rebuildOutdated`. */
async function buildRequested(deps: Deps, kind: PublicationKind, signal: AbortSignal): Promise<Built> {
  const { db } = deps
  const publication = PUBLICATIONS[kind]
  const requests = await rows.listRequests(db, kind)
  const obstacle = await publication.findObstacle(deps)
  if (obstacle !== null) {
    await rows.deleteRequests(db, requests)
    return { status: 'REJECTED', entries: 0, excluded: {}, reason: obstacle }
  }
  const outcome = await build(deps, kind, publication, signal)
  const fault = outcome.status === 'REJECTED' ? outcome.reason : null
  await rows.recordCheck(db, kind, fault, deps.now())
  await rows.deleteRequests(db, requests)
  return outcome
}
