import { decodeHTMLStrict, escapeUTF8 as escapeXml } from 'entities'
import { beginningOf } from '../text.ts'

/** Characters that XML 1.0 can't represent: control characters, U+FFFE, U+FFFF, lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * Reduces text to one line without characters that XML forbids, at most `maxLength` UTF-16 units long. It is cut between
 * words if there is a space in the second half, and never within a surrogate pair.
 */
export function line(text: string, maxLength: number): string {
  // Four times the limit leaves room for characters that are dropped.
  const flat = text
    .trimStart()
    .slice(0, 4 * maxLength)
    .replace(FORBIDDEN, '')
    // Single spaces are not matched, for speed.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (flat.length <= maxLength) return flat
  const space = flat.lastIndexOf(' ', maxLength)
  const end = space > maxLength / 2 ? space : maxLength
  return beginningOf(flat, end).trimEnd()
}

/** An element of XML; nothing for an empty text. */
export function element(name: string, text: string): string {
  return text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}

/** Removes tags and decodes entities. Stored descriptions are sanitised: they hold no comments, scripts or stray brackets. */
export function textOfHtml(html: string): string {
  return decodeHTMLStrict(html.replace(/<[/!?]?[a-z][^<>]*>/gi, ' '))
}
