import { FeedError } from '../../errors.ts'

/** A well-formed tag. */
export type Tag = { name: string; kind: 'open' | 'close' | 'empty' }

const NAME = /<(\/?)([A-Za-z_:\u0080-\uFFFF][\w:.\-\u0080-\uFFFF]*)/y
const ATTRIBUTES = /^(?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*\/?$/
const BLANK = /^\s*$/

const GREATER = 62
const LESS = 60
const QUOTE = 34
const APOSTROPHE = 39

/**
 * Finds the end of the tag at `start`; a `>` within quotes doesn't count.
 * @returns the index after its `>`; -1 when the text ends first; null when it contains a `<` and so is malformed
 */
export function tagEnd(text: string, start: number): number | null {
  let quote = 0
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LESS) return null
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === GREATER) return at + 1
    else if (code === QUOTE || code === APOSTROPHE) quote = code
  }
  return -1
}

/** Reads the tag between two indexes. @returns null when it is malformed */
export function readTag(text: string, start: number, end: number): Tag | null {
  NAME.lastIndex = start
  const [whole, slash, name] = NAME.exec(text) ?? []
  if (whole === undefined || name === undefined) return null
  const rest = text.slice(start + whole.length, end - 1)
  if (slash === '/') return BLANK.test(rest) ? { name, kind: 'close' } : null
  if (rest !== '' && !ATTRIBUTES.test(rest)) return null
  return { name, kind: rest.endsWith('/') ? 'empty' : 'open' }
}

const MAX_DOCTYPE_LENGTH = 64 * 1024
const QUOTED = '"[^"]*"|\'[^\']*\''
const SUBSET = `\\[(?:<!--[^]*?-->|${QUOTED}|(?!<!--)[^\\]"'])*\\]`
const DOCTYPE = new RegExp(`<!DOCTYPE(?:${QUOTED}|${SUBSET}|[^>"'[])*>`, 'y')

/**
 * Finds the end of the DOCTYPE at `start`. External parts are never fetched.
 * @returns the index after its `>`; -1 when the text ends first
 * @throws FeedError when it declares entities: a kilobyte of them can expand to a gigabyte
 */
export function doctypeEnd(text: string, start: number): number {
  DOCTYPE.lastIndex = start
  const end = DOCTYPE.test(text) ? DOCTYPE.lastIndex : -1
  const doctype = text.slice(start, end === -1 ? text.length : end)
  if (/<!ENTITY|%\s*[\w:]+\s*;/i.test(doctype)) {
    throw new FeedError('The feed declares entities, which is not allowed')
  }
  if (doctype.length > MAX_DOCTYPE_LENGTH) throw new FeedError('The DOCTYPE of the feed is too long')
  return end
}
