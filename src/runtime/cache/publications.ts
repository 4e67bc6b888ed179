import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createGunzip, gunzip } from 'node:zlib'
import type { PublicationRow } from '../../../db/queries/published/publications.ts'
import { AppError } from '../../errors.ts'

/** A publication with its bytes, which all downloads share. */
export type Published = PublicationRow & { read(encoding: 'gzip' | 'identity'): Readable }

type Source = {
  /** The newest publication, from a cache. */
  newest(): Promise<PublicationRow | undefined>
  /** The gzipped bytes; fewer when the publication has been deleted. */
  chunks(id: number): Promise<Buffer[]>
}

const MAX_PLAIN_BYTES = 64 * 1024 * 1024
const CHUNK_BYTES = 256 * 1024

const unpack = promisify(gunzip)

/**
 * Keeps the newest publication of a kind in memory. It is stored in the database, so that all instances serve the same bytes.
 * @param maxPlainBytes a larger publication is unpacked for each reader that doesn't accept gzip, a smaller one once
 * @returns a function that finds it, or undefined before the first one; @throws AppError 503 while it is being replaced
 */
export function createPublished(
  { newest, chunks }: Source,
  maxPlainBytes = MAX_PLAIN_BYTES,
): () => Promise<Published | undefined> {
  let current: { id: number; published: Promise<Published> } | undefined

  async function load(row: PublicationRow): Promise<Published> {
    const gzip = await chunks(row.id)
    const { size, gzipSize } = row.file
    if (gzip.reduce((sum, { length }) => sum + length, 0) !== gzipSize) {
      throw new AppError(503, 'UNAVAILABLE', 'A newer version is being published', { retryAfter: 1 })
    }
    let unpacked: Promise<Buffer> | undefined
    async function* plainChunks(): AsyncGenerator<Buffer> {
      unpacked ??= unpack(Buffer.concat(gzip))
      const bytes = await unpacked
      for (let start = 0; start < size; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES)
    }
    return {
      ...row,
      read(encoding) {
        if (encoding === 'gzip') return Readable.from(gzip, { objectMode: false })
        if (size <= maxPlainBytes) return Readable.from(plainChunks(), { objectMode: false })
        return pipeline(Readable.from(gzip), createGunzip({ chunkSize: CHUNK_BYTES }), () => {})
      },
    }
  }

  return async () => {
    const row = await newest()
    if (row === undefined) return undefined
    if (current?.id !== row.id) {
      const loading = { id: row.id, published: load(row) }
      current = loading
      loading.published.catch(() => {
        if (current === loading) current = undefined
      })
    }
    return current.published
  }
}
