import { SupplierFeedError } from '../../errors.ts'

/** In characters: of an offer, and of what comes before the first one. */
export const MAX_LENGTH = 1024 * 1024

type Element = 'offer' | 'category'
/** An element of the supplier feed, which may still be malformed inside. `fault`: why it must be skipped. */
export type Piece = { element: Element; xml: string; fault: string | null }

/** The beginnings of comments, CDATA sections and processing instructions, and the tags at which elements begin and end. */
const TOKEN = /<!--|<!\[CDATA\[|<\?|<(offer|category)(?=[\s/>])|<\/(offers?|category|categories|yml_catalog)\s*>/g
const MAX_TOKEN_LENGTH = 64
const TERMINATORS = new Map([
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
])
const LISTS = { offer: 'offers', category: 'categories' }
const START_TAG = /<\w+(?:[^<>"']|"[^"<]*"|'[^'<]*')*>?/y
const ID = /^<\w+\b[^>]*?\sid\s*=\s*(?:"([^"]{1,200})"|'([^']{1,200})')/

/** Splits a supplier feed, in YML, into its categories and offers while it arrives. At most one element is buffered. */
export function createSupplierFeedSplitter() {
  /** Starts at the current element, before the first one at the beginning of the supplier feed. */
  let buffer = ''
  /** Where the search continues in the buffer. */
  let position = 0
  let current: Element | null = null
  let isRootChecked = false
  let isRootClosed = false
  let pieces: Piece[] = []

  /** @returns false when more text is needed */
  function step(): boolean {
    TOKEN.lastIndex = position
    const found = TOKEN.exec(buffer)
    position = found?.index ?? Math.max(position, buffer.length - MAX_TOKEN_LENGTH)
    if (found === null) return false
    const [token, opened, closed] = found
    const terminator = TERMINATORS.get(token)
    if (terminator !== undefined) return skip(token, terminator)
    if (current === null && opened !== undefined) return begin(opened === 'offer' ? opened : 'category')
    if (current !== null && closed === current) end(current, position + token.length, null)
    else if (current !== null && (opened === current || closed === LISTS[current]))
      end(current, position, `the ${current} is not closed`)
    else position += token.length
    if (closed === 'yml_catalog') isRootClosed = true
    return true
  }

  function skip(token: string, terminator: string): boolean {
    const at = buffer.indexOf(terminator, position + token.length)
    if (at === -1) return false
    position = at + terminator.length
    return true
  }

  function begin(element: Element): boolean {
    START_TAG.lastIndex = position
    const [tag = ''] = START_TAG.exec(buffer) ?? []
    // Another tag begins before the end of one that is malformed.
    if (!tag.endsWith('>') && buffer.indexOf('<', position + 1) === -1) return false
    if (!isRootChecked) checkRoot(buffer.slice(0, position))
    isRootChecked = true
    current = element
    buffer = buffer.slice(position)
    position = tag.length
    if (tag.endsWith('/>')) end(element, tag.length, null)
    return true
  }

  function end(element: Element, at: number, fault: string | null): void {
    pieces.push({ element, xml: buffer.slice(0, at), fault })
    current = null
    buffer = buffer.slice(at)
    position = 0
  }

  return {
    /** Returns the elements completed by the next text. @throws SupplierFeedError */
    write(text: string): Piece[] {
      buffer += text
      pieces = []
      while (step());
      if (current === null && isRootChecked) {
        buffer = buffer.slice(position)
        position = 0
      }
      if (buffer.length > MAX_LENGTH) throw tooLong()
      return pieces
    },
    /** @throws SupplierFeedError when the supplier feed is incomplete */
    end(): void {
      if (current !== null) throw new SupplierFeedError(`The feed is cut off within ${nameOf(current)}`)
      if (!isRootChecked) checkRoot(buffer)
      if (!isRootClosed) throw new SupplierFeedError('The feed is cut off: </yml_catalog> is missing')
    },
  }

  function tooLong(): SupplierFeedError {
    if (current !== null) return new SupplierFeedError(`The feed has more than 1 MB within ${nameOf(current)}`)
    if (!isRootChecked) checkRoot(buffer.slice(0, position))
    return new SupplierFeedError('The feed has more than 1 MB beside its offers and categories')
  }

  function nameOf(element: Element): string {
    return `${element} ${idOf(buffer) ?? 'without an id'}`
  }
}

/** The id of an element, which may be malformed otherwise. */
export function idOf(xml: string): string | null {
  const [, quoted, single] = ID.exec(xml) ?? []
  return quoted ?? single ?? null
}

/** Checks what comes before the first element. The external parts of a DOCTYPE are never fetched. */
function checkRoot(beginning: string): void {
  // One without an end reaches to the end: searching for it after each beginning would take minutes.
  const text = beginning.replace(/<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)/gs, '').trim()
  if (text === '') throw new SupplierFeedError('The feed is empty')
  const [, prolog = '', root] = /^(.*?)<([^\s<>/!]+)/s.exec(text) ?? []
  // A kilobyte of entities can expand to a gigabyte.
  if (/<!ENTITY|%\s*[\w:]+\s*;/i.test(prolog)) {
    throw new SupplierFeedError('The feed declares entities, which is not allowed')
  }
  if (root === undefined || !/^(?:<!DOCTYPE.*)?$/s.test(prolog)) throw new SupplierFeedError('The feed is not XML')
  if (root !== 'yml_catalog') {
    throw new SupplierFeedError(`The feed is not YML: it starts with <${root}>, not with <yml_catalog>`)
  }
}
