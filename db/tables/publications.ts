import type { ColumnType, Generated, GeneratedAlways } from 'kysely'

/** The catalogue in the formats of its readers: YML, and Google's. */
export const FEED_KINDS = ['feed', 'google-merchant'] as const

/** Files that are built as a whole and served prebuilt. Also the kinds of change that announce a new one. */
export const PUBLICATION_KINDS = [...FEED_KINDS, 'sitemap'] as const
export type PublicationKind = (typeof PUBLICATION_KINDS)[number]

/** Bytes, before and after compression. */
export type PublishedFile = { name: string; size: number; gzipSize: number }

export interface PublicationTables {
  /** The newest of a kind is served. */
  publications: {
    id: Generated<number>
    kind: PublicationKind
    built_at: Date
    /** SHA-256 of everything but the date: unchanged content is not published again. */
    content_hash: string
    /** Offers of a feed, addresses in a sitemap. */
    entries: number
    /** An array of one. */
    files: ColumnType<PublishedFile[], string, never>
  }
  /** A rebuild that was asked for and hasn't succeeded yet. */
  publication_requests: {
    id: GeneratedAlways<number>
    kind: PublicationKind
    requested_at: Generated<Date>
  }
  /** The outcome of the last build of each kind. */
  publication_checks: {
    kind: PublicationKind
    checked_at: Date
    /** Why it was not published; null: it was, or nothing had changed. */
    refusal: string | null
  }
  /** Gzipped files in chunks: all instances serve the same bytes. */
  publication_chunks: {
    publication_id: number
    file: string
    position: number
    bytes: Buffer
  }
}
