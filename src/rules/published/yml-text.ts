import { decodeHTMLStrict } from 'entities'

/** Everything that XML 1.0 has no way to write: control characters, U+FFFE, U+FFFF, halves of surrogate pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** What begins the end of a part that no reader sees; the next `>` ends it. */
const HIDDEN: Record<string, RegExp | undefined> = {
  '!--': /--(?=>)/g,
  script: /<\/script/gi,
  style: /<\/style/gi,
}

/**
 * One line of text without what XML forbids, at most `most` UTF-16 units long: cut at a word where there is one in
 * the second half, never within a surrogate pair. Empty when nothing can be seen of it.
 */
export function line(text: string, most: number): string {
  // What is far beyond the limit would be cut anyway; four times leaves room for what is dropped.
  const flat = text
    .trimStart()
    .slice(0, 4 * most)
    .replace(FORBIDDEN, '')
    // A single space stays as it is, for speed: most white space is one.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (flat.length <= most) return flat
  const space = flat.lastIndexOf(' ', most)
  const end = space > most / 2 ? space : most
  const last = flat.charCodeAt(end - 1)
  return flat.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end).trimEnd()
}

/** What a reader sees of HTML: tags, comments, scripts and styles gone, entities decoded. Linear in the input. */
export function textOfHtml(source: string): string {
  if (!/[<&]/.test(source)) return source
  // Some suppliers pass on how their own feed quotes.
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
    const hidden = HIDDEN[tag]
    const end = hidden ? endOf(hidden, html, open) : open
    const close = end < 0 ? -1 : endOf(/>/g, html, end)
    // Nothing closes it: what follows is text that only looks like a tag, or what is left of a script.
    if (close < 0) return decodeHTMLStrict(hidden ? text : text + html.slice(open))
    text += ' '
    at = close
  }
  return decodeHTMLStrict(text + html.slice(at))
}

/** Where the first match at or behind `from` ends; -1 when there is none. */
function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : -1
}
