import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { AdvisoryLockName } from '../../../db/advisory-locks.ts'
import type { Trx } from '../../../db/database.ts'
import {
  deleteOldPublications,
  findNewestPublication,
  insertChunk,
  insertPublication,
  lockPublications,
  type PublicationRow,
} from '../../../db/queries/published/publications.ts'
import type { PublicationKind, PublishedFile } from '../../../db/tables/publications.ts'
import type { BuildOutcome, Deps } from '../../deps.ts'
import { write } from '../../runtime/write.ts'

const CHUNK_BYTES = 256 * 1024
/** The published one, and the one before for instances that are still fetching it. */
const RETAINED_PUBLICATIONS = 2

type Text = AsyncIterable<string> | Iterable<string>

/** A file, or several, built as a whole and served prebuilt. */
export type Publication = {
  lock: AdvisoryLockName
  /** Returns the reason why nothing can be built yet, or null. */
  findObstacle(deps: Deps): Promise<string | null>
  /**
   * Adds the files, from one snapshot of the database.
   * @param target.add takes the name of a file and its text; the content hash leaves out `opening`, which has the date
   */
  write(
    trx: Trx,
    config: Deps['config'],
    target: { builtAt: Date; add(name: string, text: Text, opening?: string): Promise<void> },
  ): Promise<Pick<BuildOutcome, 'entries' | 'excluded'>>
  /** Reads a draft back. @returns the reason to reject it; null if it is valid */
  findFault(deps: Deps, draft: Draft, signal: AbortSignal): Promise<string | null>
}

type Draft = {
  kind: PublicationKind
  builtAt: Date
  contentHash: string
  entries: number
  /** `path`: the gzipped bytes. */
  files: (PublishedFile & { path: string })[]
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
  const { folder } = deps.publications[kind].files
  const paths: string[] = []
  const newPath = () => {
    const path = join(folder, `${randomUUID()}.tmp`)
    paths.push(path)
    return path
  }
  try {
    const { draft, excluded } = await writeDraft(deps, kind, publication, newPath, signal)
    const built = { entries: draft.entries, excluded }
    if (draft.published?.content_hash === draft.contentHash) {
      return { status: 'UNCHANGED', ...built, reason: `Nothing has changed since the published ${kind}` }
    }
    const fault = await publication.findFault(deps, draft, signal)
    if (fault !== null) return { status: 'REJECTED', ...built, reason: fault }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', ...built, reason: null }
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })))
  }
}

function writeDraft(
  { config, db, now }: Deps,
  kind: PublicationKind,
  publication: Publication,
  newPath: () => string,
  signal: AbortSignal,
): Promise<{ draft: Draft; excluded: BuildOutcome['excluded'] }> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const published = await findNewestPublication(trx, kind)
    const builtAt = laterThan(published?.built_at, now())
    const hash = createHash('sha256')
    const files: Draft['files'] = []
    async function add(name: string, text: Text, opening = ''): Promise<void> {
      const path = newPath()
      let size = 0
      async function* bytes(): AsyncGenerator<Buffer> {
        const beginning = Buffer.from(opening)
        size += beginning.length
        yield beginning
        for await (const piece of text) {
          const buffer = Buffer.from(piece)
          hash.update(buffer)
          size += buffer.length
          yield buffer
        }
      }
      await pipeline(bytes(), createGzip(), createWriteStream(path, { flags: 'wx' }), { signal })
      files.push({ name, path, size, gzipSize: (await stat(path)).size })
    }
    const { entries, excluded } = await publication.write(trx, config, { builtAt, add })
    const draft = { kind, builtAt, contentHash: hash.digest('hex'), entries, files, published }
    return { draft, excluded }
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
  { kind, builtAt, contentHash, entries, files, published }: Draft,
  signal: AbortSignal,
): Promise<void> {
  return write(deps, async (tx) => {
    await lockPublications(tx.db)
    const newest = await findNewestPublication(tx.db, kind)
    if (newest?.id !== published?.id) throw new Error('Another instance has published meanwhile')
    const id = await insertPublication(tx.db, {
      ...{ kind, entries, built_at: builtAt, content_hash: contentHash },
      files: files.map(({ name, size, gzipSize }) => ({ name, size, gzipSize })),
    })
    for (const { name, path } of files) {
      let position = 0
      for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES, signal })) {
        await insertChunk(tx.db, { id, file: name, position }, bytes)
        position += 1
      }
    }
    await deleteOldPublications(tx.db, kind, RETAINED_PUBLICATIONS)
    tx.recordChange(kind, [id])
    if (kind === 'feed') tx.recordEvent('feed.published', () => ({ builtAt, offers: entries }))
    // If the lock was lost, another instance may be about to publish newer data.
    signal.throwIfAborted()
  })
}
