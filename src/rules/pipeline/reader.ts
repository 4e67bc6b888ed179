import { FeedError, messageOf } from '../../errors.ts'
import { beginningOf } from '../text.ts'
import { type FeedCategory, type FeedOffer, readCategory, readOffer } from './offers.ts'
import { createFeedSplitter, type Piece } from './splitter.ts'

/** The elements that end in a chunk of a feed. */
export type FeedBatch = {
  /** Arrays of FeedOffer and FeedCategory as JSON, each with its position in the feed; the last one of each id. */
  offers: string
  categories: string
  skipped: { id: string | null; reason: string }[]
  counts: FeedCounts
}

/** Of the feed so far, including repeated ids. `skipped`: offers and categories. */
export type FeedCounts = { offers: number; categories: number; skipped: number; skippedOffers: number }

/** All of them are read to place and list the mapped ones. */
const MAX_CATEGORIES = 50_000
const MAX_REASON_LENGTH = 300
/** The XML declaration must be within these. */
const DECLARATION_BYTES = 1024

/** Reads a feed while it arrives. */
export function createFeedReader() {
  const decoder = createFeedDecoder()
  const splitter = createFeedSplitter()
  const counts: FeedCounts = { offers: 0, categories: 0, skipped: 0, skippedOffers: 0 }

  function read(pieces: Piece[]): FeedBatch {
    const offers = new Map<string, FeedOffer & { position: number }>()
    const categories = new Map<string, FeedCategory & { position: number }>()
    const skipped: FeedBatch['skipped'] = []
    for (const { element, id, xml, fault } of pieces) {
      try {
        if (fault !== null) throw new FeedError(fault)
        if (element === 'offer') {
          const offer = readOffer(xml)
          counts.offers += 1
          offers.set(offer.id, { ...offer, position: counts.offers })
        } else {
          const category = readCategory(xml)
          counts.categories += 1
          categories.set(category.id, { ...category, position: counts.categories })
        }
      } catch (error) {
        skipped.push({ id, reason: beginningOf(messageOf(error), MAX_REASON_LENGTH) })
        counts.skipped += 1
        if (element === 'offer') counts.skippedOffers += 1
      }
    }
    if (counts.categories > MAX_CATEGORIES) throw new FeedError(`The feed has more than ${MAX_CATEGORIES} categories`)
    return {
      offers: JSON.stringify([...offers.values()]),
      categories: JSON.stringify([...categories.values()]),
      skipped,
      counts: { ...counts },
    }
  }

  return {
    /** Reads on. @throws FeedError */
    write: (bytes: Uint8Array): FeedBatch => read(splitter.write(decoder.write(bytes))),
    /** Reads the rest. @throws FeedError when the feed is incomplete */
    end(): FeedBatch {
      const batch = read(splitter.write(decoder.end()))
      splitter.end()
      return batch
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
