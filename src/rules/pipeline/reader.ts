import { beginningOf } from '../text.ts'
import { createFeedCutter, type Piece } from './cutter.ts'
import { createFeedDecoder } from './encoding.ts'
import { type FeedCategory, type FeedOffer, type Reading, readCategory, readOffer } from './offers.ts'

/** Some of what a feed holds, in its order. */
export type FeedBatch = {
  /** Lists of FeedOffer and FeedCategory as JSON in UTF-8; of those with the same id the last one. */
  offers: Uint8Array<ArrayBuffer>
  categories: Uint8Array<ArrayBuffer>
  /** Elements that could not be taken. */
  skipped: { id: string | null; reason: string }[]
  /** What was read, those with the same id too; `lost` of the skipped ones are offers. */
  counts: { offers: number; categories: number; lost: number }
}

export type FeedReader = {
  /** What the next bytes complete, once it is enough. @throws FeedError */
  write(bytes: Uint8Array): FeedBatch | null
  /** The rest. @throws FeedError when the feed doesn't end here */
  end(): FeedBatch
}

const MAX_REASON_LENGTH = 300

/** Reads a feed while it arrives. @param size how many elements make a batch */
export function createFeedReader(size: number): FeedReader {
  const decoder = createFeedDecoder()
  const cutter = createFeedCutter()
  let offers = new Map<string, FeedOffer>()
  let categories = new Map<string, FeedCategory>()
  let skipped: FeedBatch['skipped'] = []
  let counts = { offers: 0, categories: 0, lost: 0 }

  function take(pieces: Piece[]): void {
    for (const piece of pieces) {
      if (piece.reason !== null) skip(piece.element, piece)
      else if (piece.element === 'offer') keep(offers, 'offer', readOffer(piece.xml))
      else keep(categories, 'category', readCategory(piece.xml))
    }
  }

  function keep<T extends { id: string }>(
    all: Map<string, T>,
    element: Piece['element'],
    read: Reading<T>,
  ): void {
    if (read.reason === null) {
      all.set(read.value.id, read.value)
      counts[element === 'offer' ? 'offers' : 'categories'] += 1
    } else skip(element, read)
  }

  function skip(element: Piece['element'], { id, reason }: { id: string | null; reason: string }): void {
    skipped.push({ id, reason: beginningOf(reason, MAX_REASON_LENGTH) })
    if (element === 'offer') counts.lost += 1
  }

  function batch(): FeedBatch {
    const made = {
      offers: toJson(offers),
      categories: toJson(categories),
      skipped,
      counts,
    }
    offers = new Map()
    categories = new Map()
    skipped = []
    counts = { offers: 0, categories: 0, lost: 0 }
    return made
  }

  return {
    write(bytes) {
      take(cutter.write(decoder.write(bytes)))
      return offers.size + categories.size + skipped.length < size ? null : batch()
    },
    end() {
      take(cutter.write(decoder.end()))
      cutter.end()
      return batch()
    },
  }
}

function toJson(all: Map<string, object>): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([...all.values()]))
}
