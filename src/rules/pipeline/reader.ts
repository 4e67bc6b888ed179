import { decodeHTMLStrict } from 'entities'
import { Parser } from 'htmlparser2'
import { FeedError } from '../../errors.ts'
import { beginningOf } from '../text.ts'
import { createFeedDecoder } from './encoding.ts'
import {
  type FeedCategory,
  type FeedElement,
  type FeedOffer,
  readCategory,
  readId,
  readOffer,
} from './offers.ts'

/** Consecutive elements of a feed. */
export type FeedBatch = {
  /** Arrays of FeedOffer and FeedCategory as JSON in UTF-8; the last one of each id. */
  offers: Uint8Array<ArrayBuffer>
  categories: Uint8Array<ArrayBuffer>
  skipped: { id: string | null; reason: string }[]
  /** Including repeated ids. */
  counts: { offers: number; categories: number; skippedOffers: number }
}

/** In characters. Longer offers are skipped. */
export const MAX_OFFER_LENGTH = 1024 * 1024
/** In characters. The parser buffers a comment, CDATA section or tag until its end. */
const MAX_MARKUP_LENGTH = 16 * 1024 * 1024
/** Far more than any feed has, also when elements are not closed. */
const MAX_DEPTH = 1000

const READERS = { offer: readOffer, category: readCategory }

/** `start`: its index in the text of the feed; `depth`: the number of elements around it. */
type OpenElement = FeedElement & { name: keyof typeof READERS; start: number; depth: number }

/**
 * Reads a YML feed while it arrives. At most one offer is buffered; malformed markup is read as browsers do.
 * @param batchSize in elements
 */
export function createFeedReader(batchSize: number) {
  const decoder = createFeedDecoder()
  let offers = new Map<string, FeedOffer>()
  let categories = new Map<string, FeedCategory>()
  let skipped: FeedBatch['skipped'] = []
  let counts = { offers: 0, categories: 0, skippedOffers: 0 }

  let hasRoot = false
  let isComplete = false
  let depth = 0
  let current: OpenElement | null = null
  /** Text with entities, which may arrive in two parts. */
  let encoded = ''
  let inCdata = false

  // Entities are decoded here: feeds use the names of HTML, too, and none that they declare is expanded.
  const parser: Parser = new Parser(
    {
      onopentag(name, attributes) {
        if (!hasRoot && name !== 'yml_catalog') {
          throw new FeedError(
            `The feed is not YML: it starts with <${beginningOf(name, 100)}>, not with <yml_catalog>`,
          )
        }
        hasRoot = true
        decodeText()
        if (name === 'offer' || name === 'category') {
          if (current !== null) end(current)
          current = {
            name,
            start: parser.startIndex,
            depth,
            attributes: decoded(attributes),
            text: '',
            children: [],
          }
        } else if (current !== null && depth === current.depth + 1 && !isTooLong(current)) {
          current.children.push({ name, attributes: decoded(attributes), text: '' })
        }
        depth += 1
        if (depth > MAX_DEPTH)
          throw new FeedError(`The feed has more than ${MAX_DEPTH} elements within each other`)
      },
      ontext(text) {
        if (inCdata) addText(text)
        else if (current !== null && !isTooLong(current)) encoded += text
      },
      oncdatastart() {
        decodeText()
        inCdata = true
      },
      oncdataend() {
        inCdata = false
      },
      onclosetag(_, isImplied) {
        decodeText()
        depth -= 1
        if (current?.depth === depth) end(current)
        if (depth === 0 && !isImplied) isComplete = true
      },
      onprocessinginstruction(_, declaration) {
        // A kilobyte of entities can expand to a gigabyte.
        if (/^!ENTITY|^!DOCTYPE.*(?:<!ENTITY|%\s*[\w:]+\s*;)/is.test(declaration)) {
          throw new FeedError('The feed declares entities, which is not allowed')
        }
      },
    },
    { xmlMode: true, decodeEntities: false },
  )

  function decodeText(): void {
    const text = decodeHTMLStrict(encoded)
    encoded = ''
    addText(text)
  }

  function addText(text: string): void {
    if (current === null || isTooLong(current)) return
    const child = depth > current.depth + 1 ? current.children.at(-1) : undefined
    const owner = child ?? current
    owner.text += text
  }

  const isTooLong = ({ start }: OpenElement): boolean => parser.endIndex - start > MAX_OFFER_LENGTH

  /** An element also ends where the next one begins, or the list ends. */
  function end(element: OpenElement): void {
    current = null
    const read = isTooLong(element) ? 'it is longer than 1 MB' : READERS[element.name](element)
    if (typeof read === 'string') {
      skipped.push({ id: readId(element.attributes.id), reason: read })
      if (element.name === 'offer') counts.skippedOffers += 1
    } else if ('params' in read) {
      offers.set(read.id, read)
      counts.offers += 1
    } else {
      categories.set(read.id, read)
      counts.categories += 1
    }
  }

  let length = 0
  function parse(text: string): void {
    parser.write(text)
    length += text.length
    if (length - parser.endIndex > MAX_MARKUP_LENGTH) {
      throw new FeedError('The feed has a comment, CDATA section or tag of more than 16 MB')
    }
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
      parse(decoder.write(bytes))
      return offers.size + categories.size + skipped.length < batchSize ? null : takeBatch()
    },
    /** Returns the rest. @throws FeedError when the feed is incomplete */
    end(): FeedBatch {
      parse(decoder.end())
      if (!hasRoot) throw new FeedError('The feed is empty, or not XML')
      if (current !== null) {
        const id = readId(current.attributes.id) ?? 'without an id'
        throw new FeedError(`The feed is cut off within ${current.name} ${id}`)
      }
      if (!isComplete) throw new FeedError('The feed is cut off: </yml_catalog> is missing')
      return takeBatch()
    },
  }
}

function decoded(attributes: { [name: string]: string }): FeedElement['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, decodeHTMLStrict(value)]),
  )
}

function toJson(all: Map<string, object>): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([...all.values()]))
}
