import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { SaxesParser } from 'saxes'
import type { Trx } from '../../../db/database.ts'
import type { AdvisoryLockName } from '../../../db/locks.ts'
import {
  deleteOldPublications,
  findNewestPublication,
  insertChunk,
  insertPublication,
  lockPublications,
  type PublicationRow,
} from '../../../db/queries/published/publications.ts'
import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { BuildOutcome, Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

const CHUNK_BYTES = 256 * 1024
/** The current publication, and the previous one for instances that are still fetching it. */
const RETAINED_PUBLICATIONS = 2

type Counts = Pick<BuildOutcome, 'entries' | 'excluded'>

/** A file that is built as a whole and served prebuilt. */
export type Publication = {
  lock: AdvisoryLockName
  fileName: string
  /** Returns the reason why nothing can be built yet, or null. */
  findObstacle(deps: Deps): Promise<string | null>
  /** The beginning of the file with its date, which the content hash leaves out. */
  opening(builtAt: Date, timeZone: string): string
  /** Yields the rest of the file, from one snapshot of the database, and counts its entries. */
  content(trx: Trx, config: Deps['config'], counts: Counts): AsyncIterable<string>
  /** Returns the reason to reject a well-formed draft, or null. */
  findFault(deps: Deps, draft: Draft): Promise<string | null>
}

type Draft = Omit<PublicationRow, 'id'> & {
  /** The gzipped bytes. */
  path: string
  /** Why it isn't well-formed XML. */
  malformed: string | undefined
  /** The newest publication when the data were read. */
  published: PublicationRow | undefined
}

/**
 * Builds a publication from one snapshot of the database, and publishes it unless it has a fault, or only its date changed.
 * Rejects when the signal is aborted.
 */
export async function build(
  deps: Deps,
  kind: PublicationKind,
  publication: Publication,
  signal: AbortSignal,
): Promise<Omit<BuildOutcome, 'durationMs'>> {
  const path = join(deps.publications[kind].files.folder, `${randomUUID()}.tmp`)
  const counts: Counts = { entries: 0, excluded: {} }
  try {
    const draft = await writeDraft(deps, kind, publication, path, counts, signal)
    if (draft.published?.content_hash === draft.content_hash) {
      return { status: 'UNCHANGED', ...counts, reason: `Nothing has changed since the published ${kind}` }
    }
    const { malformed } = draft
    const fault = malformed
      ? `The ${kind} is not well-formed: ${malformed}`
      : await publication.findFault(deps, draft)
    if (fault !== null) return { status: 'REJECTED', ...counts, reason: fault }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', ...counts, reason: null }
  } finally {
    await rm(path, { force: true })
  }
}

function writeDraft(
  { config, db, now }: Deps,
  kind: PublicationKind,
  publication: Publication,
  path: string,
  counts: Counts,
  signal: AbortSignal,
): Promise<Draft> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const published = await findNewestPublication(trx, kind)
    const built_at = laterThan(published?.built_at, now())
    const hash = createHash('sha256')
    const parser = new SaxesParser({ position: false })
    let malformed: string | undefined
    parser.on('error', ({ message }) => {
      malformed ??= message
    })
    let size = 0
    function checked(text: string): Buffer {
      parser.write(text)
      const bytes = Buffer.from(text)
      size += bytes.length
      return bytes
    }
    async function* bytes(): AsyncGenerator<Buffer> {
      yield checked(publication.opening(built_at, config.shopTimeZone))
      for await (const text of publication.content(trx, config, counts)) {
        hash.update(text)
        yield checked(text)
      }
      parser.close()
    }
    await pipeline(bytes(), createGzip(), createWriteStream(path, { flags: 'wx' }), { signal })
    const file = { name: publication.fileName, size, gzipSize: (await stat(path)).size }
    return {
      kind,
      built_at,
      content_hash: hash.digest('hex'),
      entries: counts.entries,
      file,
      path,
      malformed,
      published,
    }
  })
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
function publish(
  deps: Deps,
  { path, malformed: _, published, ...row }: Draft,
  signal: AbortSignal,
): Promise<void> {
  const { kind, built_at: builtAt, entries: offers } = row
  return write(deps, async (tx) => {
    await lockPublications(tx.db)
    const newest = await findNewestPublication(tx.db, kind)
    if (newest?.id !== published?.id) throw new Error('Another instance has published meanwhile')
    const id = await insertPublication(tx.db, row)
    let position = 0
    for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
      await insertChunk(tx.db, { id, file: row.file.name, position }, bytes)
      position += 1
    }
    await deleteOldPublications(tx.db, kind, RETAINED_PUBLICATIONS)
    tx.recordChange(kind, [id])
    if (kind === 'feed') tx.recordEvent('feed.published', () => ({ builtAt, offers }))
    // If the lock was lost, another instance may be about to publish newer data.
    signal.throwIfAborted()
  })
}
