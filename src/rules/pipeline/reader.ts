import { FeedError } from '../../errors.ts'
import { beginningOf } from '../text.ts'
import { type FeedCategory, type FeedOffer, readCategory, readOffer } from './offers.ts'
import { createFeedSplitter, type Piece } from './splitter.ts'

/** Consecutive elements of a feed. */
export type FeedBatch = {
  /** Arrays of FeedOffer and FeedCategory as JSON; the last one of each id. */
  offers: string
  categories: string
  skipped: { id: string | null; reason: string }[]
  /** Including repeated ids. */
  counts: { offers: number; categories: number; skippedOffers: number }
}

const MAX_REASON_LENGTH = 300
/** The XML declaration must be within these. */
const DECLARATION_BYTES = 1024

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
    const batch = {
      offers: JSON.stringify([...offers.values()]),
      categories: JSON.stringify([...categories.values()]),
      skipped,
      counts,
    }
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

/**
 * Decodes an XML document in the encoding given by its byte order mark or its declaration, by default UTF-8. Invalid
 * bytes become U+FFFD, and U+0000, which PostgreSQL can't store, a space.
 */
export function createFeedDecoder() {
  let beginning = Buffer.alloc(0)
  let decoder: InstanceType<typeof TextDecoder> | null = null

  function decode(bytes: Uint8Array, stream: boolean): string {
    decoder ??= openDecoder(encodingOf(bytes))
    return decoder.decode(bytes, { stream }).replaceAll('\0', ' ')
  }

  return {
    /** Decodes the next bytes up to their last whole character. @throws FeedError for an unknown encoding */
    write(bytes: Uint8Array): string {
      if (decoder !== null) return decode(bytes, true)
      beginning = Buffer.concat([beginning, bytes])
      return beginning.length < DECLARATION_BYTES ? '' : decode(beginning, true)
    },
    /** Decodes the rest. @throws FeedError for an unknown encoding */
    end(): string {
      return decode(decoder === null ? beginning : Buffer.alloc(0), false)
    },
  }
}

function openDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding)
  } catch {
    throw new FeedError(`The feed's encoding is unknown: ${encoding}`)
  }
}

/** XML 1.0, appendix F: byte order mark, width of the first characters, declaration. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return 'utf-16le'
  if (first === 0 && second === 0x3c && third === 0 && fourth !== 0) return 'utf-16be'
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, DECLARATION_BYTES))
  const declared = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'<>]{1,40})["']/.exec(opening)?.[1] ?? 'utf-8'
  // A declaration readable as single bytes can't be in UTF-16, whatever it says.
  return /^utf-?16/i.test(declared.trim()) ? 'utf-8' : declared
}
