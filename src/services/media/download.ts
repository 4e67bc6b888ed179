import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { findImage } from '../../../db/queries/media/images.ts'
import type { ImageRow } from '../../../db/tables/images.ts'
import type { Deps } from '../../deps.ts'
import { AppError, notFound } from '../../errors.ts'
import {
  chooseFormat,
  holdsIfRange,
  inlineAs,
  type Range,
  readRange,
  widthOfVariant,
} from '../../rules/media/downloads.ts'
import { formatOf, IMAGE_FORMATS, type VariantWidth } from '../../rules/media/formats.ts'
import { isUnchanged } from '../../rules/published/http-caching.ts'
import { originalKey } from './store.ts'
import { makeVariant, type Variant, variantKey } from './variants.ts'

type ImageDeps = Pick<Deps, 'db' | 'cached' | 'storage' | 'pictures' | 'drawing' | 'log'>

export type ImageRequest = {
  id: number
  width?: VariantWidth | undefined
  method: string
  headers: IncomingHttpHeaders
  gone: AbortSignal
}

export type ImageAnswer = {
  status: 200 | 206 | 304
  headers: Record<string, string>
  body: Readable | Buffer | undefined
}

/** The id may get another picture at any time: who has one asks every five minutes whether it is still the same. */
const CACHE_CONTROL = 'public, max-age=300, must-revalidate'

/**
 * The answer to GET or HEAD of an image, or of a variant of it (contract section 7).
 * @throws AppError 404; 416; 503 when the storage is down, or too many variants are being made
 */
export async function downloadImage(deps: ImageDeps, request: ImageRequest): Promise<ImageAnswer> {
  const { db, cached, log } = deps
  const { id } = request
  const row = await cached.images.get(String(id), async () => (await findImage(db, id)) ?? null)
  if (row === null) throw notFound('image')
  const answer = await answerWith(deps, row, request)
  if (answer) return answer
  // Replaced or deleted a moment ago, so that its objects are gone.
  const current = await findImage(db, id)
  const isOther = current && current.storage_key !== row.storage_key
  const later = isOther ? await answerWith(deps, current, request) : null
  if (later) return later
  if (current) log.error({ id, storageKey: current.storage_key }, 'the object of an image is not there')
  throw notFound('image')
}

/** Null when the object is not there. */
async function answerWith(
  deps: ImageDeps,
  row: ImageRow,
  request: ImageRequest,
): Promise<ImageAnswer | null> {
  const { headers, method, gone } = request
  const variant = variantFor(row, request)
  const version = row.sha256.slice(0, 32)
  const etag = variant ? `"${version}-${variant.width}-${variant.format}"` : `"${version}"`
  const common = {
    etag,
    'cache-control': CACHE_CONTROL,
    ...(variant ? { vary: 'Accept' } : {}),
  }
  if (isUnchanged(headers, { etag })) return { status: 304, headers: common, body: undefined }

  const object = objectOf(deps, row, variant, gone)
  const format = variant?.format ?? formatOf(row.content_type)
  const described = {
    ...common,
    'accept-ranges': 'bytes',
    'content-type': variant ? IMAGE_FORMATS[variant.format].contentType : row.content_type,
    'content-disposition': format ? inlineAs(row.file_name, format) : 'inline',
  }
  if (method === 'HEAD') {
    const size = await object.size()
    return size === null
      ? null
      : { status: 200, headers: { ...described, 'content-length': `${size}` }, body: undefined }
  }
  const asked = holdsIfRange(String(headers['if-range'] ?? etag), etag) ? headers.range : undefined
  const size = asked === undefined ? 0 : await object.size()
  if (size === null) return null
  const range = readRange(asked, size)
  if (range === 'unsatisfiable') throw unsatisfiable(size)
  const found = await object.open(range === 'all' ? undefined : range)
  if (!found) return null
  return range === 'all'
    ? { status: 200, headers: { ...described, 'content-length': `${found.size}` }, body: found.body }
    : { status: 206, headers: { ...described, ...rangeHeaders(range, found.size) }, body: found.body }
}

function variantFor(row: ImageRow, { width, headers }: ImageRequest): Variant | undefined {
  const original = formatOf(row.content_type)
  if (width === undefined || original === undefined) return undefined
  return { width: widthOfVariant(width, row.width), format: chooseFormat(original, headers.accept) }
}

/** How the object is come by; a variant is made when it isn't there. Null when there is no original. */
function objectOf(deps: ImageDeps, row: ImageRow, variant: Variant | undefined, gone: AbortSignal) {
  const { storage } = deps
  if (variant === undefined) {
    return {
      size: async () => row.size,
      open: (range?: Range) => storage.open(originalKey(row.storage_key), range),
    }
  }
  const key = variantKey(row, variant)
  const make = () => makeVariant(deps, row, variant, gone)
  return {
    size: async () => (await storage.stat(key))?.size ?? (await make())?.length ?? null,
    async open(range?: Range) {
      const found = await storage.open(key, range)
      if (found) return found
      const bytes = await make()
      const body = range ? bytes?.subarray(range.start, range.end + 1) : bytes
      return bytes && body ? { body, size: bytes.length } : null
    },
  }
}

function rangeHeaders({ start, end }: Range, size: number): Record<string, string> {
  return { 'content-range': `bytes ${start}-${end}/${size}`, 'content-length': `${end - start + 1}` }
}

function unsatisfiable(size: number): AppError {
  const headers = { 'content-range': `bytes */${size}` }
  return new AppError(416, 'RANGE_NOT_SATISFIABLE', `The image has ${size} bytes`, { headers })
}
