import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
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

const CHUNK_BYTES = 256 * 1024

/**
 * Keeps the newest publication of a kind in memory. It is stored in the database, so that all instances serve the same bytes.
 * @returns a function that finds it, or undefined before the first one; @throws AppError 503 while it is being replaced
 */
export function createPublished({ newest, chunks }: Source): () => Promise<Published | undefined> {
  let current: { id: number; published: Promise<Published> } | undefined

  async function load(row: PublicationRow): Promise<Published> {
    const gzip = await chunks(row.id)
    if (gzip.reduce((sum, { length }) => sum + length, 0) !== row.file.gzipSize) {
      throw new AppError(503, 'UNAVAILABLE', 'A newer version is being published', { retryAfter: 1 })
    }
    return {
      ...row,
      read(encoding) {
        const packed = Readable.from(gzip, { objectMode: false })
        return encoding === 'gzip' ? packed : pipeline(packed, createGunzip({ chunkSize: CHUNK_BYTES }), () => {})
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
