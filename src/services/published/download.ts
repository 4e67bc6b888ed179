import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { acceptsGzip, isUnchanged } from '../../rules/published/http-caching.ts'
import { newestFeed } from './feed.ts'

export type FeedAnswer = { status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }

/**
 * The answer to GET or HEAD of the feed: prebuilt bytes, plain or gzip, each with its own strong ETag (contract
 * section 8, "Feed").
 */
export async function downloadFeed(
  deps: Parameters<typeof newestFeed>[0],
  method: string,
  conditions: IncomingHttpHeaders,
): Promise<FeedAnswer> {
  const local = await newestFeed(deps)
  // Node joins repeated headers of this name into one.
  const encoding = acceptsGzip(String(conditions['accept-encoding'] ?? '')) ? 'gzip' : 'identity'
  const etag = encoding === 'gzip' ? `"${local.version}-gzip"` : `"${local.version}"`
  const headers = {
    etag,
    'last-modified': local.builtAt.toUTCString(),
    // Receivers may keep it, and ask each time whether it is still the newest: a 304 costs nothing.
    'cache-control': 'public, no-cache',
    vary: 'Accept-Encoding',
  }
  if (isUnchanged(conditions, { etag, lastModified: local.builtAt })) {
    return { status: 304, headers, body: undefined }
  }
  const body = method === 'HEAD' ? undefined : (await deps.feedFiles.open(local, encoding)).createReadStream()
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(local.files[encoding].size),
      ...(encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    },
    body,
  }
}
