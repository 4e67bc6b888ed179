import { FeedError } from '../../errors.ts'
import { doctypeEnd, readTag, type Tag, tagEnd } from './markup.ts'

/** In characters. Longer offers are skipped. */
export const MAX_OFFER_LENGTH = 1024 * 1024
const MAX_TAG_LENGTH = 64 * 1024
const MAX_DEPTH = 100

type Element = 'offer' | 'category'
/** A well-formed element of the feed; or one that was skipped, and why. */
export type Piece =
  | { element: Element; xml: string; reason: null }
  | { element: Element; id: string | null; reason: string }

export type FeedSplitter = {
  /** Returns the elements completed by the next text. @throws FeedError when the feed is malformed around them */
  write(text: string): Piece[]
  /** @throws FeedError when the feed is incomplete */
  end(): void
}

/** Where to resume after a malformed element: after its end tag, or before the next element or the end of the list. */
const RESUME: Record<Element, RegExp> = {
  offer: /<\/offer\s*>|<offer[\s>]|<\/offers\s*>/g,
  category: /<\/category\s*>|<category[\s>]|<\/categories\s*>/g,
}
const ID = /^<\w+[^>]*?\sid\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})')/

/**
 * Splits a YML feed into its categories and offers while it arrives, and checks that all of it is well-formed. A malformed
 * element is skipped, any other error ends the feed. At most one element is buffered.
 */
export function createFeedSplitter(): FeedSplitter {
  let buffer = ''
  /** Where to continue in the buffer. */
  let position = 0
  /** The terminator of the current comment, CDATA section or processing instruction. */
  let terminator: string | null = null
  const open: string[] = []
  let started = false
  let finished = false
  let hasDoctype = false
  /** The current element; `start` is -1 when it is too long to buffer, `open` are its open tags. */
  let piece: { element: Element; id: string | null; start: number; open: string[] } | null = null
  /** The malformed element being skipped. */
  let skipping: Element | null = null
  let pieces: Piece[] = []

  /** @returns false when more text is needed */
  function step(): boolean {
    if (skipping !== null) return skipMalformed(skipping)
    if (terminator !== null) return skipTo(terminator)
    const start = buffer.indexOf('<', position)
    if (!started && /\S/.test(buffer.slice(position, start === -1 ? undefined : start))) {
      throw new FeedError('The feed is not XML')
    }
    position = start === -1 ? buffer.length : start
    if (start === -1) return false
    const next = buffer.charAt(start + 1)
    if (next === '!') return declaration(start)
    if (next === '?') {
      terminator = '?>'
      position = start + 2
      return true
    }
    return next !== '' && tag(start)
  }

  function skipTo(end: string): boolean {
    const at = buffer.indexOf(end, position)
    if (at === -1) {
      position = Math.max(position, buffer.length - end.length + 1)
      return false
    }
    position = at + end.length
    terminator = null
    return true
  }

  function skipMalformed(element: Element): boolean {
    const resume = RESUME[element]
    resume.lastIndex = position
    const found = resume.exec(buffer)
    if (found === null) {
      const last = buffer.lastIndexOf('<')
      position = last >= position && buffer.length - last < MAX_TAG_LENGTH ? last : buffer.length
      return false
    }
    position =
      found[0].startsWith(`</${element}`) && !found[0].startsWith(`</${element}s`)
        ? found.index + found[0].length
        : found.index
    skipping = null
    return true
  }

  function declaration(start: number): boolean {
    if (buffer.startsWith('<!--', start)) terminator = '-->'
    else if (buffer.startsWith('<![CDATA[', start)) terminator = ']]>'
    else if (buffer.length - start < 9) return false
    else if (piece === null && buffer.startsWith('<!DOCTYPE', start)) return skipDoctype(start)
    else return malformed(start, 'has an invalid <! markup')
    position = start + (terminator === '-->' ? 4 : 9)
    return true
  }

  function skipDoctype(start: number): boolean {
    if (started || hasDoctype) throw new FeedError('The feed has a DOCTYPE in the wrong place')
    const end = doctypeEnd(buffer, start)
    if (end === -1) return false
    hasDoctype = true
    position = end
    return true
  }

  function tag(start: number): boolean {
    const end = tagEnd(buffer, start)
    if (end === -1 && buffer.length - start <= MAX_TAG_LENGTH) return false
    const read = end === null || end === -1 ? null : readTag(buffer, start, end)
    if (read === null || end === null) return malformedTag(start)
    if (piece === null) outside(read, start, end)
    else inside(read, start, end)
    return true
  }

  function malformedTag(start: number): boolean {
    const element = started && piece === null ? elementAt(buffer, start) : null
    if (element === null) return malformed(start, 'has a < that starts no tag')
    pieces.push({ element, id: null, reason: `the tag of the ${element} is malformed` })
    skipping = element
    position = start + 1
    return true
  }

  function outside({ name, kind }: Tag, start: number, end: number): void {
    position = end
    if (finished) throw new FeedError('The feed continues after its end')
    if (kind === 'close') {
      const opened = open.pop()
      if (opened !== name) throw new FeedError(`The feed is malformed: </${name}> where <${opened}> is open`)
      finished = open.length === 0
      return
    }
    if (!started && name !== 'yml_catalog') {
      throw new FeedError(`The feed is not YML: it starts with <${name}>, not with <yml_catalog>`)
    }
    started = true
    if (open.length > 0 && (name === 'offer' || name === 'category')) {
      piece = { element: name, id: idOf(buffer.slice(start, end)), start, open: [name] }
      if (kind === 'empty') complete(end)
    } else if (kind === 'open') {
      if (open.push(name) > MAX_DEPTH) throw new FeedError('The feed is nested too deeply')
    } else finished = open.length === 0
  }

  function inside({ name, kind }: Tag, start: number, end: number): void {
    if (piece === null) return
    position = end
    if (kind === 'open') {
      if (name === piece.element) malformed(start, 'is not closed before the next one')
      else if (piece.open.push(name) > MAX_DEPTH) malformed(start, 'is nested too deeply')
    } else if (kind === 'close') {
      const opened = piece.open.pop()
      if (opened !== name) malformed(start, `has </${name}> where <${opened}> is open`)
      else if (piece.open.length === 0) complete(end)
    }
  }

  function complete(end: number): void {
    if (piece === null) return
    const { element, id, start } = piece
    if (start === -1 || end - start > MAX_OFFER_LENGTH) pieces.push({ element, id, reason: TOO_LONG })
    else pieces.push({ element, xml: buffer.slice(start, end), reason: null })
    piece = null
  }

  function malformed(at: number, reason: string): true {
    if (piece === null) throw new FeedError(`The feed is malformed: it ${reason}`)
    pieces.push({ element: piece.element, id: piece.id, reason: `the ${piece.element} ${reason}` })
    skipping = piece.element
    piece = null
    position = at
    return true
  }

  /** Drops what has been read, and an element that has become too long. */
  function trimBuffer(): void {
    if (piece !== null && piece.start !== -1 && buffer.length - piece.start > MAX_OFFER_LENGTH)
      piece.start = -1
    const from = piece === null || piece.start === -1 ? position : piece.start
    buffer = buffer.slice(from)
    position -= from
    if (piece !== null && piece.start !== -1) piece.start = 0
  }

  return {
    write(text) {
      buffer += text
      pieces = []
      while (step());
      trimBuffer()
      return pieces
    },
    end() {
      if (!started) throw new FeedError('The feed is empty')
      const within = piece === null ? '' : `, within ${piece.element} ${piece.id ?? 'without an id'}`
      if (!finished || terminator !== null) {
        throw new FeedError(`The feed is cut off: </yml_catalog> is missing${within}`)
      }
    },
  }
}

const TOO_LONG = 'it is longer than 1 MB'

function elementAt(text: string, start: number): Element | null {
  const isOne = (name: Element) => /^[\s/>]$/.test(text.charAt(start + name.length + 1))
  const named = (['offer', 'category'] as const).find((name) => text.startsWith(name, start + 1))
  return named !== undefined && isOne(named) ? named : null
}

function idOf(tag: string): string | null {
  const [, quoted, single] = ID.exec(tag) ?? []
  return quoted ?? single ?? null
}
