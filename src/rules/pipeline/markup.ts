import { FeedError } from '../../errors.ts'

/** A tag that a text begins with, checked: names and attributes are formed as XML wants them. */
export type Tag = { name: string; kind: 'open' | 'close' | 'empty' }

const NAME = /<(\/?)([A-Za-z_:\u0080-\uFFFF][\w:.\-\u0080-\uFFFF]*)/y
const ATTRIBUTES = /^(?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*\s*\/?$/
const BLANK = /^\s*$/

const GREATER = 62
const LESS = 60
const QUOTE = 34
const APOSTROPHE = 39

/**
 * Where the tag ends that begins at `start`, with regard to quotes.
 * @returns the place behind its `>`; -1 when the text ends before; null when there is a `<` in it, so that it is none
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

/** The tag from `start` to `end`; null when it is malformed. */
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

/**
 * Where the DOCTYPE ends that begins at `start`. What it names elsewhere is never read.
 * @returns the place behind its `>`; -1 when the text ends before
 * @throws FeedError when it declares entities: nothing good needs them, and a kilobyte of them can become a gigabyte
 */
export function doctypeEnd(text: string, start: number): number {
  const end = findDoctypeEnd(text, start)
  const doctype = text.slice(start, end === -1 ? text.length : end)
  if (/<!ENTITY|%\s*[\w:]+\s*;/i.test(doctype)) {
    throw new FeedError('The feed declares entities of its own, which is refused')
  }
  if (doctype.length > MAX_DOCTYPE_LENGTH) throw new FeedError('The DOCTYPE of the feed is too long')
  return end
}

function findDoctypeEnd(text: string, start: number): number {
  let quote = ''
  let subset = false
  for (let at = start + 9; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== '') {
      if (character === quote) quote = ''
    } else if (subset && text.startsWith('<!--', at)) {
      const end = text.indexOf('-->', at + 4)
      if (end === -1) return -1
      at = end + 2
    } else if (character === '"' || character === "'") quote = character
    else if (character === '[') subset = true
    else if (character === ']') subset = false
    else if (character === '>' && !subset) return at + 1
  }
  return -1
}
