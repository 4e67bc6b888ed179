import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { notFound } from '../../errors.ts'
import { acceptsGzip, isUnchanged } from '../../rules/published/http-caching.ts'
import { SITEMAP_FILE, sitemapPart } from '../../rules/published/sitemap.ts'
import { FEED } from './feed.ts'
import { FEED_FILE } from './feed-build.ts'
import { type Built, newest, type Publication, type PublishDeps } from './publishing.ts'
import { SITEMAP } from './sitemap.ts'

export type Download = { status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }
type Asked = { method: string; headers: IncomingHttpHeaders }

/** @throws AppError 503 when there is none, and none can be built */
export function downloadFeed(deps: PublishDeps, asked: Asked): Promise<Download> {
  return download(deps, FEED, FEED_FILE, asked)
}

/**
 * The sitemap, or the index of its parts.
 * @param part one of those, from 1
 * @throws AppError 404 when there is no such part
 */
export function downloadSitemap(deps: PublishDeps, asked: Asked, part?: number): Promise<Download> {
  return download(deps, SITEMAP, part === undefined ? SITEMAP_FILE : sitemapPart(part), asked)
}

/**
 * The answer to GET or HEAD of something published: prebuilt bytes, plain or gzip, each with its own strong ETag
 * (contract section 8, "Feed").
 */
async function download<Outcome extends Built>(
  deps: PublishDeps,
  publication: Publication<Outcome>,
  name: string,
  { method, headers: conditions }: Asked,
): Promise<Download> {
  const { version, builtAt, files } = await newest(deps, publication)
  const file = files.get(name)
  if (file === undefined) throw notFound('part of the sitemap')
  // Node joins repeated headers of this name into one.
  const encoding = acceptsGzip(String(conditions['accept-encoding'] ?? '')) ? 'gzip' : 'identity'
  const etag = encoding === 'gzip' ? `"${version}-gzip"` : `"${version}"`
  const headers = {
    etag,
    'last-modified': builtAt.toUTCString(),
    // Receivers may keep it, and ask each time whether it is still the newest: a 304 costs nothing.
    'cache-control': 'public, no-cache',
    vary: 'Accept-Encoding',
  }
  if (isUnchanged(conditions, { etag, lastModified: builtAt })) {
    return { status: 304, headers, body: undefined }
  }
  const { files: kept } = publication.of(deps)
  const body = method === 'HEAD' ? undefined : (await kept.open(file, encoding)).createReadStream()
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
