import { FeedError } from '../../errors.ts'
import { doctypeEnd, readTag, type Tag, tagEnd } from './markup.ts'

/** Longer offers are skipped, longer things outside the offers fail the feed. In characters. */
export const MAX_OFFER_LENGTH = 1024 * 1024
const MAX_TAG_LENGTH = 64 * 1024
const DEEPEST = 100

type Element = 'offer' | 'category'
/** An element of the feed, well-formed and without a DOCTYPE; or one that was left out, and why. */
export type Piece =
  | { element: Element; xml: string; reason: null }
  | { element: Element; id: string | null; reason: string }

export type FeedCutter = {
  /** The elements that the next text completes. @throws FeedError when this is no YML, or is malformed around them */
  write(text: string): Piece[]
  /** @throws FeedError when the feed doesn't end here */
  end(): void
}

/** Where a malformed element probably ends: at its own end, before the next one of its kind, or with their list. */
const RESUME: Record<Element, RegExp> = {
  offer: /<\/offer\s*>|<offer[\s>]|<\/offers\s*>/g,
  category: /<\/category\s*>|<category[\s>]|<\/categories\s*>/g,
}
const ID = /^<\w+[^>]*?\sid\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})')/

/**
 * Cuts a YML feed into its categories and offers while it arrives, and sees to it that all of it is well-formed: of an
 * element that is not, the feed is read on behind it; anything else wrong ends the feed. It holds one element at most.
 */
export function createFeedCutter(): FeedCutter {
  let buffer = ''
  /** What lies before is done with. */
  let scan = 0
  /** The end of the comment, CDATA section or instruction that is being read. */
  let seek: string | null = null
  const open: string[] = []
  let begun = false
  let finished = false
  let doctype = false
  /** The element being read: where it begins, -1 when it is too long to be kept, and what is open in it. */
  let piece: { element: Element; id: string | null; start: number; open: string[] } | null = null
  /** A malformed one whose end is being looked for. */
  let broken: Element | null = null
  let pieces: Piece[] = []

  /** Goes on by one step. @returns false when more text is needed */
  function step(): boolean {
    if (broken !== null) return skipBroken(broken)
    if (seek !== null) return skipTo(seek)
    const start = buffer.indexOf('<', scan)
    if (!begun && /\S/.test(buffer.slice(scan, start === -1 ? undefined : start))) {
      throw new FeedError('The feed is no XML')
    }
    scan = start === -1 ? buffer.length : start
    if (start === -1) return false
    const next = buffer.charAt(start + 1)
    if (next === '!') return declaration(start)
    if (next === '?') {
      seek = '?>'
      scan = start + 2
      return true
    }
    return next !== '' && tag(start)
  }

  function skipTo(end: string): boolean {
    const at = buffer.indexOf(end, scan)
    if (at === -1) {
      scan = Math.max(scan, buffer.length - end.length + 1)
      return false
    }
    scan = at + end.length
    seek = null
    return true
  }

  function skipBroken(element: Element): boolean {
    const resume = RESUME[element]
    resume.lastIndex = scan
    const found = resume.exec(buffer)
    if (found === null) {
      const last = buffer.lastIndexOf('<')
      scan = last >= scan && buffer.length - last < MAX_TAG_LENGTH ? last : buffer.length
      return false
    }
    scan =
      found[0].startsWith(`</${element}`) && !found[0].startsWith(`</${element}s`)
        ? found.index + found[0].length
        : found.index
    broken = null
    return true
  }

  function declaration(start: number): boolean {
    if (buffer.startsWith('<!--', start)) seek = '-->'
    else if (buffer.startsWith('<![CDATA[', start)) seek = ']]>'
    else if (buffer.length - start < 9) return false
    else if (piece === null && buffer.startsWith('<!DOCTYPE', start)) return skipDoctype(start)
    else return malformed(start, 'holds a <! that begins nothing')
    scan = start + (seek === '-->' ? 4 : 9)
    return true
  }

  function skipDoctype(start: number): boolean {
    if (begun || doctype) throw new FeedError('The feed has a DOCTYPE where none may be')
    const end = doctypeEnd(buffer, start)
    if (end === -1) return false
    doctype = true
    scan = end
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
    const element = begun && piece === null ? elementAt(buffer, start) : null
    if (element === null) return malformed(start, 'has a < that begins no tag')
    pieces.push({ element, id: null, reason: `the tag of the ${element} is malformed` })
    broken = element
    scan = start + 1
    return true
  }

  function outside({ name, kind }: Tag, start: number, end: number): void {
    scan = end
    if (finished) throw new FeedError('Something follows the end of the feed')
    if (kind === 'close') {
      const opened = open.pop()
      if (opened !== name) throw new FeedError(`The feed is malformed: </${name}> where <${opened}> is open`)
      finished = open.length === 0
      return
    }
    if (!begun && name !== 'yml_catalog') {
      throw new FeedError(`The feed is no YML: it begins with <${name}>, not with <yml_catalog>`)
    }
    begun = true
    if (open.length > 0 && (name === 'offer' || name === 'category')) {
      piece = { element: name, id: idOf(buffer.slice(start, end)), start, open: [name] }
      if (kind === 'empty') complete(end)
    } else if (kind === 'open') {
      if (open.push(name) > DEEPEST) throw new FeedError('The feed is nested too deeply')
    } else finished = open.length === 0
  }

  function inside({ name, kind }: Tag, start: number, end: number): void {
    if (piece === null) return
    scan = end
    if (kind === 'open') {
      if (name === piece.element) malformed(start, 'is not closed before the next one')
      else if (piece.open.push(name) > DEEPEST) malformed(start, 'is nested too deeply')
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
    broken = piece.element
    piece = null
    scan = at
    return true
  }

  /** Forgets what is done with, and of an element that has become too long all but its name. */
  function letGo(): void {
    if (piece !== null && piece.start !== -1 && buffer.length - piece.start > MAX_OFFER_LENGTH)
      piece.start = -1
    const from = piece === null || piece.start === -1 ? scan : piece.start
    buffer = buffer.slice(from)
    scan -= from
    if (piece !== null && piece.start !== -1) piece.start = 0
  }

  return {
    write(text) {
      buffer += text
      pieces = []
      while (step());
      letGo()
      return pieces
    },
    end() {
      if (!begun) throw new FeedError('The feed is empty')
      const within = piece === null ? '' : `, within ${piece.element} ${piece.id ?? 'without an id'}`
      if (!finished || seek !== null) {
        throw new FeedError(`The feed is cut off: </yml_catalog> is missing${within}`)
      }
    },
  }
}

const TOO_LONG = 'it is longer than 1 MB'

/** Of which element this is the beginning. */
function elementAt(text: string, start: number): Element | null {
  const isOne = (name: Element) => /^[\s/>]$/.test(text.charAt(start + name.length + 1))
  const named = (['offer', 'category'] as const).find((name) => text.startsWith(name, start + 1))
  return named !== undefined && isOne(named) ? named : null
}

function idOf(tag: string): string | null {
  const [, quoted, single] = ID.exec(tag) ?? []
  return quoted ?? single ?? null
}
