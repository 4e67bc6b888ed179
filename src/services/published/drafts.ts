import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import {
  deleteOldPublications,
  findNewestPublication,
  insertChunk,
  insertPublication,
  lockPublications,
  type PublicationRow,
} from '../../../db/queries/published/publications.ts'
import type { PublishedFile } from '../../../db/tables/publications.ts'
import type { Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

const CHUNK_BYTES = 256 * 1024
/** The published one, and the one before for instances that are still fetching it. */
const RETAINED_PUBLICATIONS = 2

/** `path`: its gzipped bytes. */
type DraftFile = PublishedFile & { path: string }
export type Draft = Omit<PublicationRow, 'id' | 'files'> & {
  files: DraftFile[]
  /** The newest publication when the data were read; null: none. */
  after: number | null
}

/** Writes text to a new gzipped file. @returns sizes in bytes */
export async function writeGzipped(
  path: string,
  text: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal,
): Promise<{ size: number; gzipSize: number }> {
  let size = 0
  async function* bytes(): AsyncGenerator<Buffer> {
    for await (const piece of text) {
      const buffer = Buffer.from(piece)
      size += buffer.length
      yield buffer
    }
  }
  await pipeline(bytes(), createGzip(), createWriteStream(path, { flags: 'wx' }), { signal })
  return { size, gzipSize: (await stat(path)).size }
}

/** Last-Modified has whole seconds and must increase with each publication, even if instances' clocks differ. */
export function laterThan(before: Date | undefined, now: Date): Date {
  return before && now.getTime() < before.getTime() + 1000 ? new Date(before.getTime() + 1000) : now
}

/**
 * Publishes the draft and its bytes to all instances in one transaction.
 * @throws Error when another instance has published since the data were read: a paused process doesn't notice that it lost
 *   its lock
 */
export function publish(
  deps: Pick<Deps, 'db' | 'changes'>,
  { files, after, ...draft }: Draft,
  signal: AbortSignal,
): Promise<void> {
  return write(deps, async (tx) => {
    await lockPublications(tx.db)
    const newest = await findNewestPublication(tx.db, draft.kind)
    if ((newest?.id ?? null) !== after) throw new Error('Another instance has published meanwhile')
    const named = files.map(({ name, size, gzipSize }) => ({ name, size, gzipSize }))
    const id = await insertPublication(tx.db, { ...draft, files: named })
    for (const { name, path } of files) {
      let position = 0
      for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
        await insertChunk(tx.db, { id, file: name, position }, bytes)
        position += 1
      }
    }
    await deleteOldPublications(tx.db, draft.kind, RETAINED_PUBLICATIONS)
    tx.recordChange(draft.kind, [id])
    const { built_at: builtAt, entries: offers } = draft
    if (draft.kind === 'feed') tx.recordEvent('feed.published', () => ({ builtAt, offers }))
    // If the lock was lost, another instance may be about to publish newer data.
    signal.throwIfAborted()
  })
}
