import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { findImage } from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/content.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { clientNetwork } from '../../rules/accounts/client-address.ts'
import { chooseFormat, readRange, widthOfVariant } from '../../rules/media/downloads.ts'
import {
  formatOf,
  IMAGE_FORMATS,
  MAX_VARIANT_WIDTH,
  type VariantFormat,
  type VariantWidth,
} from '../../rules/media/formats.ts'
import { imageVersion } from '../../rules/media/urls.ts'
import { isUnchanged } from '../../rules/published/http-caching.ts'
import { originalKey } from './store.ts'
import { readVariant, type Variant } from './variants.ts'

export type ImageRequest = {
  id: number
  /** Version of the content in the address. */
  v?: string
  width?: VariantWidth
  format?: VariantFormat
  method: string
  headers: IncomingHttpHeaders
  /** The client's. */
  ip: string
  signal: AbortSignal
}

export type ImageAnswer = {
  status: 200 | 206 | 304
  headers: Record<string, string>
  body: Readable | Buffer | undefined
}

/** With the version of its content in the address an image never changes; without, it may be replaced at any time. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'no-cache'

/** A browser that opens an uploaded file runs nothing of it, whatever it takes it for. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; sandbox"

/**
 * Responds to GET or HEAD of an image or a variant of it (docs/content.md).
 * @throws AppError 404; 416; 429 when too many variants for the client's address are waiting to be drawn; 503 when too
 *   many are in all, or the storage is down
 */
export async function downloadImage(deps: Deps, request: ImageRequest): Promise<ImageAnswer> {
  const { db, cached, log } = deps
  const { id } = request
  const row = await cached.images.get(String(id), async () => (await findImage(db, id)) ?? null)
  if (row === null) throw notFound('image')
  const answer = await answerWith(deps, row, request)
  if (answer) return answer
  // The image may have been replaced or deleted since the row was cached.
  const current = await findImage(db, id)
  const isReplaced = current && current.storage_key !== row.storage_key
  const replaced = isReplaced ? await answerWith(deps, current, request) : null
  if (replaced) return replaced
  if (current) log.error({ id, storageKey: current.storage_key }, 'image object missing')
  throw notFound('image')
}

/** Null when the object is missing. */
async function answerWith(deps: Deps, row: ImageRow, request: ImageRequest): Promise<ImageAnswer | null> {
  const { headers, method, ip, signal } = request
  const variant = variantFor(row, request)
  const version = row.sha256.slice(0, 32)
  const etag = variant ? `"${version}-${variant.width}-${variant.format}"` : `"${version}"`
  const common = {
    etag,
    'cache-control': request.v === imageVersion(row.sha256) ? IMMUTABLE : REVALIDATED,
    'content-security-policy': CONTENT_SECURITY_POLICY,
    ...(variant ? { vary: 'Accept' } : {}),
  }
  if (isUnchanged(headers, { etag })) return { status: 304, headers: common, body: undefined }

  const bytes = variant && (await readVariant(deps, row, variant, { address: clientNetwork(ip), signal }))
  if (bytes === null) return null
  const size = bytes?.length ?? row.size
  const described = {
    ...common,
    'accept-ranges': 'bytes',
    'content-type': variant ? IMAGE_FORMATS[variant.format].contentType : row.content_type,
  }
  const whole = { status: 200, headers: { ...described, 'content-length': `${size}` } } as const
  if (method === 'HEAD') return { ...whole, body: undefined }
  // Only an ETag counts: a date isn't exact enough.
  const isSameVersion = (headers['if-range'] ?? etag) === etag
  const range = isSameVersion ? readRange(headers.range, size) : undefined
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const body = bytes ? bytes.subarray(start, end + 1) : await deps.storage.open(originalKey(row.storage_key), range)
  if (!body) return null
  if (!range) return { ...whole, body }
  const partial = { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': `${end - start + 1}` }
  return { status: 206, headers: { ...described, ...partial }, body }
}

function variantFor(row: ImageRow, { width, format, headers }: ImageRequest): Variant | undefined {
  const original = formatOf(row.content_type)
  if ((width ?? format) === undefined || original === undefined) return undefined
  return {
    width: widthOfVariant(width ?? MAX_VARIANT_WIDTH, row.width),
    format: format ?? chooseFormat(original, headers.accept),
  }
}
