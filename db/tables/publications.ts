import type { ColumnType, Generated } from 'kysely'

/** What is built as a whole and served from prebuilt bytes. Each is also the kind of change that says so. */
export const PUBLICATION_KINDS = ['feed', 'sitemap'] as const
export type PublicationKind = (typeof PUBLICATION_KINDS)[number]

/** Bytes, before and after compression. */
export type PublishedFile = { name: string; size: number; gzipSize: number }

/** Something published; the newest of a kind is the one that is served. */
export type PublicationsTable = {
  id: Generated<number>
  kind: PublicationKind
  built_at: Date
  /** SHA-256 of everything but the date: an equal one is not published again. */
  content_hash: string
  /** Offers of a feed, addresses in a sitemap. */
  entries: number
  files: ColumnType<PublishedFile[], string, never>
}

/** The gzipped bytes of a file in pieces, so that every instance serves the same ones. */
export type PublicationChunksTable = {
  publication_id: number
  file: string
  position: number
  bytes: Buffer
}
