import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FeedKind, PublicationKind } from '../../../db/tables/publications.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { GOOGLE_MERCHANT } from '../../rules/published/google-merchant.ts'
import { chooseEncoding, etagOf, isUnchanged } from '../../rules/published/http-caching.ts'
import { SITEMAP_FILE, sitemapPart } from '../../rules/published/sitemap.ts'
import { YML } from '../../rules/published/yml.ts'
import { findOrBuild } from './publishing.ts'

export type Download = { status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }
type Request = { method: string; headers: IncomingHttpHeaders }

/** @throws AppError 503 if none is published and none can be built */
export function downloadFeed(deps: Deps, kind: FeedKind, request: Request): Promise<Download> {
  const { fileName } = kind === 'feed' ? YML : GOOGLE_MERCHANT
  return download(deps, kind, fileName, request)
}

/**
 * Serves the sitemap or the index of its parts.
 * @param part number from 1, as it was asked for
 * @throws AppError 404
 */
export function downloadSitemap(deps: Deps, request: Request, part?: string): Promise<Download> {
  return download(deps, 'sitemap', part === undefined ? SITEMAP_FILE : sitemapPart(part), request)
}

/** Answers GET and HEAD with prebuilt bytes, plain or gzip, each with a strong ETag (contract section 8, "Feed"). */
async function download(
  deps: Deps,
  kind: PublicationKind,
  name: string,
  { method, headers: conditions }: Request,
): Promise<Download> {
  const { version, builtAt, files } = await findOrBuild(deps, kind)
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
  const open = () => deps.publications[kind].files.open(file, encoding)
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
