import { decodeHTMLAttribute } from 'entities'

export type Attributes = ReadonlyMap<string, string>

export type TagVisitor = {
  /** @param content what stands in an element that holds no markup, such as a script; undefined for all others */
  open(name: string, attributes: Attributes, content: string | undefined): void
  close(name: string): void
  text(text: string): void
}

/** Elements whose content is no markup, however it looks. `noscript` is read as markup: we run no scripts. */
const RAW = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']
const RAW_ENDS = new Map(RAW.map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]))

const TAG_NAME = /[a-z][^\s/>]*/iy
/** One attribute; of those that nothing closes, only the last of a page can be without end, so this stays linear. */
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/y
const TAG_END = /[\s/]*>/y
const MOST_ATTRIBUTES = 200
/** Of pages of 5 MB only made-up ones have more. */
const MOST_TAGS = 100_000

/**
 * Reads the tags of a page, one after the other, in a time that grows with its length alone, whatever it holds.
 * What the page leaves open at its end is dropped, as browsers do; what follows the first 100 000 tags isn't read.
 */
export function readTags(html: string, visitor: TagVisitor): void {
  let at = 0
  for (let tags = 0; at < html.length && tags < MOST_TAGS; tags++) {
    const open = html.indexOf('<', at)
    if (open !== at) visitor.text(html.slice(at, open < 0 ? undefined : open))
    if (open < 0) return
    at = readTag(html, open, visitor)
  }
}

/** @returns where to go on; the length of the page when nothing ends what began here */
function readTag(html: string, open: number, visitor: TagVisitor): number {
  const next = html[open + 1]
  if (next === '!' || next === '?') return skipDeclaration(html, open)
  const closing = next === '/'
  const begin = open + (closing ? 2 : 1)
  TAG_NAME.lastIndex = begin
  const name = TAG_NAME.exec(html)?.[0].toLowerCase()
  if (name === undefined) {
    if (!closing) visitor.text('<')
    return closing ? behind(html, '>', open) : open + 1
  }
  const { attributes, end } = readAttributes(html, begin + name.length)
  if (end < 0) return html.length
  if (closing) {
    visitor.close(name)
    return end
  }
  const rawEnd = RAW_ENDS.get(name)
  if (rawEnd === undefined) {
    visitor.open(name, attributes, undefined)
    return end
  }
  rawEnd.lastIndex = end
  const found = rawEnd.exec(html)
  visitor.open(name, attributes, found ? html.slice(end, found.index) : '')
  return found ? found.index : html.length
}

function skipDeclaration(html: string, open: number): number {
  if (!html.startsWith('<!--', open)) return behind(html, '>', open)
  // `<!-->` is a comment too.
  return behind(html, '-->', open + 2)
}

function behind(html: string, end: string, from: number): number {
  const found = html.indexOf(end, from)
  return found < 0 ? html.length : found + end.length
}

function readAttributes(html: string, from: number): { attributes: Attributes; end: number } {
  const attributes = new Map<string, string>()
  for (let at = from; ; at = ATTRIBUTE.lastIndex) {
    TAG_END.lastIndex = at
    if (TAG_END.test(html)) return { attributes, end: TAG_END.lastIndex }
    ATTRIBUTE.lastIndex = at
    const [match, written = '', double, single, bare] = ATTRIBUTE.exec(html) ?? []
    if (match === undefined) return { attributes, end: -1 }
    const name = written.toLowerCase()
    if (attributes.has(name) || attributes.size >= MOST_ATTRIBUTES) continue
    const value = double ?? single ?? bare ?? ''
    attributes.set(name, value.includes('&') ? decodeHTMLAttribute(value) : value)
  }
}
