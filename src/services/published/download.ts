import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { Deps } from '../../deps.ts'
import { chooseEncoding, etagOf, isUnchanged } from '../../rules/published/http-caching.ts'
import { findOrBuild } from './publishing.ts'

/**
 * Answers GET and HEAD with prebuilt bytes, plain or gzip, each with a strong ETag (contract section 8, "Feed").
 * @throws AppError 503 if none is published and none can be built
 */
export async function downloadPublication(
  deps: Deps,
  kind: PublicationKind,
  { method, headers: conditions }: { method: string; headers: IncomingHttpHeaders },
): Promise<{ status: 200 | 304; headers: Record<string, string>; body: Readable | undefined }> {
  const published = await findOrBuild(deps, kind)
  const { version, builtAt } = published
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
  const open = () => deps.publications[kind].files.open(published, encoding)
  return {
    status: 200,
    headers: {
      ...headers,
      'content-type': 'application/xml; charset=utf-8',
      'content-length': String(published[encoding].size),
      ...(encoding === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
    },
    body: method === 'HEAD' ? undefined : (await open()).createReadStream(),
  }
}
