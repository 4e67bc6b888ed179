import { XMLValidator } from 'fast-xml-parser'
import { FeedError } from '../../errors.ts'

/** In characters. Longer offers are skipped. */
export const MAX_OFFER_LENGTH = 1024 * 1024
/** Everything else of the feed is small, and checked as a whole. */
const MAX_AROUND_LENGTH = 1024 * 1024
const MAX_TAG_LENGTH = 64 * 1024

type Element = 'offer' | 'category'
/** An element of the feed, which may still be malformed inside. `fault`: why it must be skipped. */
export type Piece = { element: Element; id: string | null; xml: string; fault: string | null }

/** The beginnings of comments, CDATA sections and processing instructions, and the tags at which elements begin and end. */
const TOKEN = /<!--|<!\[CDATA\[|<\?|<(offer|category)(?=[\s/>])|<\/(offers?|category|categories)\s*>/g
const MAX_TOKEN_LENGTH = 64
const CDATA_END = ']]>'
const TERMINATORS = new Map([
  ['<!--', '-->'],
  ['<![CDATA[', CDATA_END],
  ['<?', '?>'],
])
const LISTS: Record<Element, string> = { offer: 'offers', category: 'categories' }
const START_TAG = /<\w+(?:[^<>"']|"[^"<]*"|'[^'<]*')*>?/y
const ID = /^<\w+[^>]*?\sid\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})')/
const TOO_LONG = 'it is longer than 1 MB'

/** Splits a YML feed into its categories and offers while it arrives. At most one element is buffered. */
export function createFeedSplitter() {
  /** Starts at the current element, else after the last one. */
  let buffer = ''
  /** Where the search continues in the buffer. */
  let position = 0
  /** The end of the current comment, CDATA section or processing instruction. */
  let terminator: string | undefined
  let current: Omit<Piece, 'xml'> | null = null
  /** The feed without its elements, comments and processing instructions. */
  let around = ''
  let pieces: Piece[] = []

  /** @returns false when more text is needed */
  function step(): boolean {
    if (terminator !== undefined) return skipTo(terminator)
    TOKEN.lastIndex = position
    const found = TOKEN.exec(buffer)
    if (found === null) {
      const last = buffer.lastIndexOf('<')
      position = buffer.length - last < MAX_TOKEN_LENGTH ? Math.max(position, last) : buffer.length
      return false
    }
    const [mark, opened, closed] = found
    position = found.index + mark.length
    terminator = TERMINATORS.get(mark)
    if (current === null) {
      if (opened !== undefined) return begin(opened === 'offer' ? opened : 'category', found.index)
      if (isDropped(terminator)) cutOff(found.index)
      return true
    }
    const { element } = current
    if (closed === element) end(position, null)
    else if (opened === element) end(found.index, `the ${element} is not closed before the next one`)
    else if (closed === LISTS[element]) end(found.index, `the ${element} is not closed`)
    return true
  }

  function skipTo(end: string): boolean {
    const at = buffer.indexOf(end, position)
    position = at === -1 ? Math.max(position, buffer.length - end.length + 1) : at + end.length
    if (at === -1) return false
    if (current === null && isDropped(end)) {
      buffer = buffer.slice(position)
      position = 0
    }
    terminator = undefined
    return true
  }

  /** Moves the text before the element, comment or processing instruction that begins there. */
  function cutOff(start: number): void {
    const gap = buffer.slice(0, start)
    if (gap.trim() !== '') around += gap
    buffer = buffer.slice(start)
    position = Math.max(0, position - start)
  }

  function begin(element: Element, start: number): boolean {
    START_TAG.lastIndex = start
    const [tag = ''] = START_TAG.exec(buffer) ?? []
    const isWhole = tag.endsWith('>')
    if (!isWhole && buffer.indexOf('<', start + 1) === -1 && buffer.length - start < MAX_TAG_LENGTH) {
      position = start
      return false
    }
    cutOff(start)
    position = tag.length
    const fault = isWhole ? null : `the tag of the ${element} is malformed`
    current = { element, id: isWhole ? idOf(tag) : null, fault }
    if (tag.endsWith('/>')) end(tag.length, null)
    return true
  }

  function end(at: number, unclosed: string | null): void {
    if (current === null) return
    const fault = current.fault ?? (at > MAX_OFFER_LENGTH ? TOO_LONG : unclosed)
    pieces.push({ ...current, xml: buffer.slice(0, at), fault })
    current = null
    buffer = buffer.slice(at)
    position = 0
  }

  return {
    /** Returns the elements completed by the next text. @throws FeedError when too much is around them */
    write(text: string): Piece[] {
      buffer += text
      pieces = []
      while (step());
      if (current === null && around.length + buffer.length > MAX_AROUND_LENGTH) {
        checkRoot(around + buffer)
        throw new FeedError('The feed has more than 1 MB beside its offers and categories')
      }
      if (current !== null && buffer.length > MAX_OFFER_LENGTH) {
        current.fault ??= TOO_LONG
        buffer = buffer.slice(position)
        position = 0
      }
      return pieces
    },
    /** @throws FeedError when the feed is incomplete, or malformed around the elements */
    end(): void {
      const within = current && `${current.element} ${current.id ?? 'without an id'}`
      if (within !== null) throw new FeedError(`The feed is cut off within ${within}`)
      checkAround(around + buffer)
    },
  }
}

/** Whether a terminator ends a comment or a processing instruction: neither says anything of the feed. */
function isDropped(terminator: string | undefined): boolean {
  return terminator !== undefined && terminator !== CDATA_END
}

function idOf(tag: string): string | null {
  const [, quoted, single] = ID.exec(tag) ?? []
  return quoted ?? single ?? null
}

const DOCTYPE = /^\s*<!DOCTYPE(?:"[^"]*"|'[^']*'|\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|[^>"'[])*>/
const ROOT = /^\s*<([^\s<>/!]+)/

/** Returns the text without its DOCTYPE, whose external parts are never fetched. */
function checkRoot(text: string): string {
  if (text.trim() === '') throw new FeedError('The feed is empty')
  const [doctype = ''] = DOCTYPE.exec(text.slice(0, MAX_TAG_LENGTH)) ?? []
  // A kilobyte of entities can expand to a gigabyte.
  if (/<!ENTITY|%\s*[\w:]+\s*;/i.test(doctype)) {
    throw new FeedError('The feed declares entities, which is not allowed')
  }
  const document = text.slice(doctype.length)
  const [, root] = ROOT.exec(document) ?? []
  if (root === undefined) throw new FeedError('The feed is not XML')
  if (root !== 'yml_catalog') {
    throw new FeedError(`The feed is not YML: it starts with <${root}>, not with <yml_catalog>`)
  }
  return document
}

/** Checks what is around the elements. */
function checkAround(text: string): void {
  const document = checkRoot(text)
  if (!document.includes('</yml_catalog')) {
    throw new FeedError('The feed is cut off: </yml_catalog> is missing')
  }
  const valid = XMLValidator.validate(document)
  if (valid !== true) throw new FeedError(`The feed is malformed: ${valid.err.msg}`)
}
