import { decodeHTMLAttribute } from 'entities'
import { HTMLElement, parse } from 'node-html-parser'

export type Attributes = ReadonlyMap<string, string>

/** A page's tags and text, one after the other. */
export type Tags = Iterable<Tag>

export type Tag =
  /** `content` stands in an element that holds no markup, such as a script; undefined for all others. */
  | { kind: 'open'; name: string; attributes: Attributes; content: string | undefined }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

/** Elements whose content is no markup, however it looks. `noscript` is read as markup: we run no scripts. */
const RAW = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']
const BLOCK_TEXT = Object.fromEntries(RAW.map((name) => [name, true]))
/** Of pages of 5 MB only made-up ones have more; each costs two kilobytes. */
const MAX_TAGS = 100_000
const TAG_NAME = new RegExp(`</(${RAW.join('|')})(?=[\\s/>])[^<>]*>|<(/?)([a-z][^\\s<>/]*)`, 'gi')
/** An end tag as a tag of its own. */
const END = 'end-of-'

/**
 * Reads the tags of a page. What it leaves open at its end is dropped, as browsers do; what follows the first 100 000
 * tags isn't read.
 */
export function readTags(html: string): Tag[] {
  const { markup, names } = flattened(beginningOf(html))
  const root = parse(markup, { blockTextElements: BLOCK_TEXT, voidTag: { tags: names } })
  return root.childNodes.map((node) => {
    if (!(node instanceof HTMLElement)) return { kind: 'text', text: node.rawText }
    const name = node.rawTagName
    if (name.startsWith(END)) return { kind: 'close', name: name.slice(END.length) }
    const content = RAW.includes(name) ? (node.childNodes[0]?.rawText ?? '') : undefined
    return { kind: 'open', name, attributes: attributesOf(node), content }
  })
}

/**
 * The parser would nest the tags by rules of its own: where a `span` is left open, one `</div>` closes no `div` or all
 * of them. So it gets every tag as one without content, and end tags under another name.
 */
function flattened(html: string): { markup: string; names: string[] } {
  const names = new Set(RAW)
  const markup = html
    // A whole comment, and the end of one that browsers don't read (`<!--[if !IE]><!-->`).
    .replace(/<!---?>/g, '<!---->')
    // The end of what has none would be looked for again from each beginning.
    .replaceAll('<![CDATA[', '')
    .concat('-->')
    .replace(TAG_NAME, (_, raw: string | undefined, slash: string, name: string) => {
      if (raw !== undefined) return `</${raw.toLowerCase()}>`
      const plain = (slash ? END : '') + name.toLowerCase()
      names.add(plain)
      return `<${plain}`
    })
  return { markup, names: [...names] }
}

function beginningOf(html: string): string {
  let at = -1
  for (let tags = 0; tags < MAX_TAGS; tags++) {
    at = html.indexOf('<', at + 1)
    if (at < 0) return html
  }
  return html.slice(0, at)
}

function attributesOf(element: HTMLElement): Attributes {
  const attributes = new Map<string, string>()
  for (const [written, value] of Object.entries<unknown>(element.rawAttributes)) {
    const name = written.toLowerCase()
    // For names like `constructor` the parser finds what every object has.
    if (attributes.has(name) || typeof value === 'function') continue
    attributes.set(name, typeof value === 'string' ? decodeHTMLAttribute(value) : '')
  }
  return attributes
}
