import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { SaxesParser } from 'saxes'
import type { Trx } from '../../../db/database.ts'
import * as rows from '../../../db/queries/published/publications.ts'
import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { BuildOutcome, Deps } from '../../deps.ts'
import { isAhead } from '../../rules/published/http-caching.ts'
import { write } from '../../runtime/write.ts'

const CHUNK_BYTES = 256 * 1024
/** The current publication, and the previous one for instances that are still fetching it. */
const RETAINED_PUBLICATIONS = 2

type Counts = Pick<BuildOutcome, 'entries' | 'excluded'>
export type Built = Omit<BuildOutcome, 'durationMs'>

/** A file that is built as a whole and served prebuilt. */
export type Publication = {
  /** Returns the reason why nothing can be built yet, or null. */
  findObstacle(deps: Deps): Promise<string | null>
  /** The beginning of the file with its date, which the content hash leaves out. */
  opening(builtAt: Date, timeZone: string): string
  /** Yields the rest of the file, from one snapshot of the database, and counts its entries. */
  content(trx: Trx, config: Deps['config'], counts: Counts): AsyncIterable<string>
  /** Returns the reason to reject a well-formed draft, or null. */
  findFault(deps: Deps, entries: number, published: rows.PublicationRow | undefined): Promise<string | null>
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
): Promise<Built> {
  for (;;) {
    const counts: Counts = { entries: 0, excluded: {} }
    const draft = await writeDraft(deps, kind, publication, counts, signal)
    if (draft.published?.content_hash === draft.content_hash) {
      return { status: 'UNCHANGED', ...counts, reason: `Nothing has changed since the published ${kind}` }
    }
    const fault = draft.malformed
      ? `The ${kind} is not well-formed: ${draft.malformed}`
      : await publication.findFault(deps, counts.entries, draft.published)
    if (fault !== null) return { status: 'REJECTED', ...counts, reason: fault }
    if (await publish(deps, draft)) return { status: 'PUBLISHED', ...counts, reason: null }
  }
}

function writeDraft(
  { config, db, now }: Deps,
  kind: PublicationKind,
  publication: Publication,
  counts: Counts,
  signal: AbortSignal,
) {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const published = await rows.findNewestPublication(trx, kind)
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
    const gzip = await pipeline(bytes(), createGzip(), buffer, { signal })
    return {
      kind,
      built_at,
      content_hash: hash.digest('hex'),
      entries: counts.entries,
      file: { name: `${kind}.xml`, size, gzipSize: gzip.length },
      gzip,
      malformed,
      published,
    }
  })
}

/** Last-Modified has whole seconds and must increase with each publication, even if instances' clocks differ a little. */
export function laterThan(before: Date | undefined, now: Date): Date {
  const next = (before?.getTime() ?? 0) + 1000
  return next > now.getTime() && !isAhead(next, now) ? new Date(next) : now
}

/**
 * Publishes the draft and its bytes to all instances in one transaction.
 * @returns false when another instance has published since the data were read, which may have been of newer data
 */
function publish(
  deps: Deps,
  { gzip, malformed: _, published, file, ...values }: Awaited<ReturnType<typeof writeDraft>>,
): Promise<boolean> {
  const { kind, built_at: builtAt, entries: offers } = values
  return write(deps, async (tx) => {
    await rows.lockPublications(tx.db)
    const newest = await rows.findNewestPublication(tx.db, kind)
    if (newest?.id !== published?.id) return false
    const id = await rows.insertPublication(tx.db, { ...values, files: JSON.stringify([file]) })
    for (let position = 0; position * CHUNK_BYTES < gzip.length; position++) {
      const bytes = gzip.subarray(position * CHUNK_BYTES, (position + 1) * CHUNK_BYTES)
      await rows.insertChunk(tx.db, { publication_id: id, file: file.name, position, bytes })
    }
    await rows.deleteOldPublications(tx.db, kind, RETAINED_PUBLICATIONS)
    if (kind === 'feed') tx.recordChange(kind, [id], () => ({ builtAt, offers }))
    else tx.recordChange(kind, [id])
    return true
  })
}
