import type { ColumnType, Generated } from 'kysely'

/** A published feed; the newest is the one that is served. */
export type YmlFeedsTable = {
  id: Generated<number>
  built_at: Date
  /** SHA-256 of everything but the date: an equal one is not published again. */
  content_hash: string
  offers: number
  /** Products left out, by reason. */
  excluded: ColumnType<{ [reason: string]: number }, string, never>
  /** Bytes, before and after compression. */
  size: number
  gzip_size: number
}

/** The gzipped bytes in pieces, so that every instance serves the same ones. */
export type YmlFeedChunksTable = {
  feed_id: number
  position: number
  bytes: Buffer
}
