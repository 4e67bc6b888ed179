import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { FEED_KINDS, type FeedKind } from '../../../db/tables/publications.ts'
import { notFound } from '../../errors.ts'
import { chooseEncoding, etagOf, isUnchanged } from '../../rules/published/http-caching.ts'
import { SITEMAP_FILE, sitemapPart } from '../../rules/published/sitemap.ts'
import { FEEDS, FORMATS } from './feed.ts'
import {
  type Built,
  findOrBuild,
  OVERDUE_SECONDS,
  type Publication,
  type PublishDeps,
  rebuildOverdue,
} from './publishing.ts'
import { SITEMAP } from './sitemap.ts'

export type Download = { status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }
type Request = { method: string; headers: IncomingHttpHeaders }

/** @throws AppError 503 if none is published and none can be built */
export function downloadFeed(deps: PublishDeps, kind: FeedKind, request: Request): Promise<Download> {
  return download(deps, FEEDS[kind], FORMATS[kind].fileName, request)
}

/**
 * Serves the sitemap or the index of its parts.
 * @param part number from 1, as it was asked for
 * @throws AppError 404
 */
export function downloadSitemap(deps: PublishDeps, request: Request, part?: string): Promise<Download> {
  return download(deps, SITEMAP, part === undefined ? SITEMAP_FILE : sitemapPart(part), request)
}

/** Rebuilds the feeds and the sitemap if a crash or a failed build has left a request for them for so long. */
export async function rebuildOverduePublications(
  deps: PublishDeps,
  seconds = OVERDUE_SECONDS,
): Promise<void> {
  for (const kind of FEED_KINDS) await rebuildOverdue(deps, FEEDS[kind], seconds)
  await rebuildOverdue(deps, SITEMAP, seconds)
}

/** Answers GET and HEAD with prebuilt bytes, plain or gzip, each with a strong ETag (contract section 8, "Feed"). */
async function download<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  name: string,
  { method, headers: conditions }: Request,
): Promise<Download> {
  const { version, builtAt, files } = await findOrBuild(deps, publication)
  const file = files.get(name)
  if (file === undefined) throw notFound('part of the sitemap')
  const encoding = chooseEncoding(conditions['accept-encoding'], ['gzip'])
  const etag = etagOf(version, encoding)
  const headers = {
    etag,
    'last-modified': builtAt.toUTCString(),
    // Clients may cache it but must revalidate.
    'cache-control': 'public, no-cache',
    vary: 'Accept-Encoding',
  }
  if (isUnchanged(conditions, { etag, lastModified: builtAt })) {
    return { status: 304, headers, body: undefined }
  }
  const open = () => publication.of(deps).files.open(file, encoding)
  const body = method === 'HEAD' ? undefined : (await open()).createReadStream()
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(file[encoding].size),
      ...(encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    },
    body,
  }
}
