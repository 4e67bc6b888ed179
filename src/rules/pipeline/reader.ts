import { beginningOf } from '../text.ts'
import { createFeedDecoder } from './encoding.ts'
import { type FeedCategory, type FeedOffer, readCategory, readOffer } from './offers.ts'
import { createFeedSplitter, type Piece } from './splitter.ts'

/** Consecutive elements of a feed. */
export type FeedBatch = {
  /** Arrays of FeedOffer and FeedCategory as JSON in UTF-8; the last one of each id. */
  offers: Uint8Array<ArrayBuffer>
  categories: Uint8Array<ArrayBuffer>
  skipped: { id: string | null; reason: string }[]
  /** Including repeated ids. */
  counts: { offers: number; categories: number; skippedOffers: number }
}

const MAX_REASON_LENGTH = 300

/** Reads a feed while it arrives. @param batchSize in elements */
export function createFeedReader(batchSize: number) {
  const decoder = createFeedDecoder()
  const splitter = createFeedSplitter()
  let offers = new Map<string, FeedOffer>()
  let categories = new Map<string, FeedCategory>()
  let skipped: FeedBatch['skipped'] = []
  let counts = { offers: 0, categories: 0, skippedOffers: 0 }

  function addPieces(pieces: Piece[]): void {
    for (const piece of pieces) {
      if (piece.reason !== null) skip(piece, piece.reason)
      else if (piece.element === 'offer') add(offers, piece, readOffer(piece.xml))
      else add(categories, piece, readCategory(piece.xml))
    }
  }

  function add<T extends { id: string }>(all: Map<string, T>, piece: Piece, read: T | string): void {
    if (typeof read === 'string') skip(piece, read)
    else {
      all.set(read.id, read)
      counts[piece.element === 'offer' ? 'offers' : 'categories'] += 1
    }
  }

  function skip({ element, id }: Piece, reason: string): void {
    skipped.push({ id, reason: beginningOf(reason, MAX_REASON_LENGTH) })
    if (element === 'offer') counts.skippedOffers += 1
  }

  function takeBatch(): FeedBatch {
    const batch = { offers: toJson(offers), categories: toJson(categories), skipped, counts }
    offers = new Map()
    categories = new Map()
    skipped = []
    counts = { offers: 0, categories: 0, skippedOffers: 0 }
    return batch
  }

  return {
    /** Returns a batch once it is full, else null. @throws FeedError */
    write(bytes: Uint8Array): FeedBatch | null {
      addPieces(splitter.write(decoder.write(bytes)))
      return offers.size + categories.size + skipped.length < batchSize ? null : takeBatch()
    },
    /** Returns the rest. @throws FeedError when the feed is incomplete */
    end(): FeedBatch {
      addPieces(splitter.write(decoder.end()))
      splitter.end()
      return takeBatch()
    },
  }
}

function toJson(all: Map<string, object>): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([...all.values()]))
}
