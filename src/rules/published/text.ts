import { decodeHTMLStrict, escapeUTF8 as escapeXml } from 'entities'
import { beginningOf } from '../text.ts'

/** Characters that XML 1.0 can't represent: control characters, U+FFFE, U+FFFF, lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Start of the closing markup of invisible parts; the next `>` ends it. */
const INVISIBLE: Record<string, RegExp | undefined> = {
  '!--': /--(?=>)/g,
  script: /<\/script/gi,
  style: /<\/style/gi,
}

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

/** Removes tags, comments, scripts and styles, and decodes entities. Linear in the input. */
export function textOfHtml(source: string): string {
  if (!/[<&]/.test(source)) return source
  // Some suppliers pass on CDATA sections of their own feed.
  const html = source.includes('<![CDATA[') ? source.replace(/<!\[CDATA\[|\]\]>/g, ' ') : source
  let text = ''
  let at = 0
  for (let open = html.indexOf('<'); open >= 0; open = html.indexOf('<', at)) {
    text += html.slice(at, open)
    const tag = /^<(!--|[/!?]?[a-z][a-z0-9]*)/i.exec(html.slice(open, open + 20))?.[1]?.toLowerCase()
    if (tag === undefined) {
      text += '<'
      at = open + 1
      continue
    }
    const hidden = INVISIBLE[tag]
    const end = hidden ? endOf(hidden, html, open) : open
    const close = end < 0 ? -1 : endOf(/>/g, html, end)
    // Never closed: text that only looks like a tag, or the rest of a script.
    if (close < 0) return decodeHTMLStrict(hidden ? text : text + html.slice(open))
    text += ' '
    at = close
  }
  return decodeHTMLStrict(text + html.slice(at))
}

/** @returns the end of the first match from `from` on; -1 if there is none */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}
