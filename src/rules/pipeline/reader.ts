import { messageOf, SupplierFeedError } from '../../errors.ts'
import { encodingOf, isEncoding } from '../encoding.ts'
import { beginningOf } from '../text.ts'
import { readCategory, readOffer, type SupplierFeedCategory, type SupplierFeedOffer } from './offers.ts'
import { createSupplierFeedSplitter, idOf, type Piece } from './splitter.ts'

/** The elements that end in a chunk of a supplier feed. */
export type SupplierFeedBatch = {
  /** Arrays of SupplierFeedOffer and SupplierFeedCategory as JSON, each with its position; the last one of each id. */
  offers: string
  categories: string
  skipped: { element: Piece['element']; id: string | null; reason: string }[]
  counts: SupplierFeedCounts
}

/** Of the supplier feed so far, including repeated ids. `skipped`: offers and categories. */
export type SupplierFeedCounts = { offers: number; categories: number; skipped: number; skippedOffers: number }

/** All of them are read to place and list the mapped ones. */
const MAX_CATEGORIES = 50_000
const MAX_REASON_LENGTH = 300
/** The XML declaration must be within these. */
const DECLARATION_BYTES = 1024
const XML_ENCODING = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([^"'<>\s]{1,40})\s*["']/

/**
 * Reads a supplier feed while it arrives.
 * @param contentType with which it was served
 * @returns a function of the next bytes, or of null at the end, that throws SupplierFeedError
 */
export function createSupplierFeedReader(contentType: string | null) {
  const decode = createSupplierFeedDecoder(contentType)
  const splitter = createSupplierFeedSplitter()
  const counts: SupplierFeedCounts = { offers: 0, categories: 0, skipped: 0, skippedOffers: 0 }

  return function read(bytes: Uint8Array | null): SupplierFeedBatch {
    const offers = new Map<string, SupplierFeedOffer & { position: number }>()
    const categories = new Map<string, SupplierFeedCategory & { position: number }>()
    const skipped: SupplierFeedBatch['skipped'] = []
    for (const { element, xml, fault } of splitter.write(decode(bytes))) {
      try {
        if (fault !== null) throw new SupplierFeedError(fault)
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
        skipped.push({ element, id: idOf(xml), reason: beginningOf(messageOf(error), MAX_REASON_LENGTH) })
        counts.skipped += 1
        if (element === 'offer') counts.skippedOffers += 1
      }
    }
    if (counts.categories > MAX_CATEGORIES)
      throw new SupplierFeedError(`The feed has more than ${MAX_CATEGORIES} categories`)
    if (bytes === null) splitter.end()
    return {
      offers: JSON.stringify([...offers.values()]),
      categories: JSON.stringify([...categories.values()]),
      skipped,
      counts,
    }
  }
}

/**
 * Decodes an XML document, by default from UTF-8. Invalid bytes become U+FFFD, and U+0000, which PostgreSQL can't store, a
 * space.
 * @param contentType with which it was served
 * @returns a function of the next bytes, or of null at the end, that throws SupplierFeedError for an unknown encoding
 */
export function createSupplierFeedDecoder(contentType: string | null) {
  let beginning = Buffer.alloc(0)
  let decoder: InstanceType<typeof TextDecoder> | null = null

  return function decode(bytes: Uint8Array | null): string {
    let next = bytes ?? Buffer.alloc(0)
    if (decoder === null) {
      beginning = Buffer.concat([beginning, next])
      if (bytes !== null && beginning.length < DECLARATION_BYTES) return ''
      const encoding = encodingOf(beginning, contentType ?? '', XML_ENCODING) ?? 'utf-8'
      if (!isEncoding(encoding)) throw new SupplierFeedError(`The feed's encoding is unknown: ${encoding}`)
      decoder = new TextDecoder(encoding)
      next = beginning
    }
    return decoder.decode(next, { stream: bytes !== null }).replaceAll('\0', ' ')
  }
}
