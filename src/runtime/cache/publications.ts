import type { PublicationRow } from '../../../db/queries/published/publications.ts'
import { AppError } from '../../errors.ts'

/** A publication with its gzipped bytes, which all downloads share. */
export type Published = PublicationRow & { chunks: Buffer[] }

type Source = {
  /** The newest publication, from a cache. */
  newest(): Promise<PublicationRow | undefined>
  /** The gzipped bytes; fewer when the publication has been deleted. */
  chunks(id: number): Promise<Buffer[]>
}

/**
 * Keeps the newest publication of a kind in memory. It is stored in the database, so that all instances serve the same bytes.
 * @returns a function that finds it, or undefined before the first one; @throws AppError 503 while it is being replaced
 */
export function createPublished({ newest, chunks }: Source): () => Promise<Published | undefined> {
  let current: { id: number; chunks: Promise<Buffer[]> } | undefined

  async function readChunks({ id, file }: PublicationRow): Promise<Buffer[]> {
    const read = await chunks(id)
    const size = read.reduce((sum, { length }) => sum + length, 0)
    if (size === file.gzipSize) return read
    throw new AppError(503, 'UNAVAILABLE', 'A newer version is being published', { retryAfter: 1 })
  }

  return async () => {
    const row = await newest()
    if (row === undefined) return undefined
    if (current?.id !== row.id) {
      const reading = { id: row.id, chunks: readChunks(row) }
      current = reading
      reading.chunks.catch(() => {
        if (current === reading) current = undefined
      })
    }
    return { ...row, chunks: await current.chunks }
  }
}
