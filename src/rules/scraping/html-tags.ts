import { decodeHTMLAttribute } from 'entities'
import { HTMLElement, parse } from 'node-html-parser'

export type Attributes = ReadonlyMap<string, string>

export type Tag =
  /** `content`: only for elements without markup inside, such as scripts. */
  | { kind: 'open'; name: string; attributes: Attributes; content: string | undefined }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string }

/** Elements whose content is not markup. `noscript` is missing because no scripts run here. */
const RAW = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']
const BLOCK_TEXT = Object.fromEntries(RAW.map((name) => [name, true]))
/** Real pages of 5 MB have fewer; each tag costs two kilobytes. */
const MAX_TAGS = 100_000
const TAG_NAME = new RegExp(`</(${RAW.join('|')})(?=[\\s/>])[^<>]*>|<(/?)([a-z][^\\s<>/]*)`, 'gi')
/** Marks an end tag that is parsed as a void tag. */
const END = 'end-of-'

/**
 * Reads the first 100 000 tags of a page, and the text between them. An unfinished tag at the end is dropped, as by
 * browsers.
 */
export function readTags(html: string): Tag[] {
  const { markup, names } = flatten(beginningOf(html))
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
 * Turns every tag into a void one and renames end tags, because the parser nests unlike browsers: after an unclosed
 * `span`, one `</div>` closes either no `div` or all of them.
 */
function flatten(html: string): { markup: string; names: string[] } {
  const names = new Set(RAW)
  const markup = html
    // To browsers this is a whole comment or the end of a conditional one (`<!--[if !IE]><!-->`).
    .replace(/<!---?>/g, '<!---->')
    // Searching a missing `]]>` from each of these would take quadratic time.
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
    // For names such as `constructor` the parser returns inherited members.
    if (attributes.has(name) || typeof value === 'function') continue
    attributes.set(name, typeof value === 'string' ? decodeHTMLAttribute(value) : '')
  }
  return attributes
}
