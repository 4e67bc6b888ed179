import { decodeHTMLStrict } from 'entities'
import { XMLParser } from 'fast-xml-parser'
import { oneLine } from '../text.ts'

/** What an element holds, in its order: texts, and elements under their names. */
type Node = { [name: string]: Node[] } & { '#text'?: string; ':@'?: { [attribute: string]: string } }

/** An element as it was written, with its texts decoded. */
export type XmlElement = { name: string; attributes: { [name: string]: string }; children: Node[] }

/**
 * Characters are decoded in one pass: what comes of it is not looked at again, so that nothing can grow. HTML's names
 * are known, since feeds use them; a name that nobody knows stays as it is.
 */
const decoder = {
  decode: (text: string) => (text.includes('&') ? decodeHTMLStrict(text) : text),
  setExternalEntities() {},
  addInputEntities() {},
  reset() {},
  setXmlVersion() {},
}
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  jPath: false,
  entityDecoder: decoder,
})

/** Reads a piece of the feed that the cutter found to be well-formed. @throws Error when the parser refuses it */
export function readElement(xml: string): XmlElement {
  const nodes: Node[] = parser.parse(xml)
  const [element] = elementsOf(nodes)
  if (element === undefined) throw new Error('There is no element')
  return element
}

/** The elements among the children, in their order. */
export function elementsOf(children: Node[]): XmlElement[] {
  const elements: XmlElement[] = []
  for (const node of children) {
    for (const name of Object.keys(node)) {
      if (name === '#text' || name === ':@' || name.startsWith('?')) continue
      elements.push({ name, attributes: node[':@'] ?? {}, children: node[name] ?? [] })
    }
  }
  return elements
}

/** All text within, that of nested elements too. */
export function textOf(children: Node[]): string {
  let text = ''
  for (const node of children) {
    if (node['#text'] !== undefined) text += node['#text']
    else for (const { children: nested } of elementsOf([node])) text += textOf(nested)
  }
  return text
}

const UNUSUAL = /[^\S ]|\s\s|\p{Cc}/u

/** On one line, in Unicode's form NFC, without space around it. */
export function folded(text: string): string {
  return (UNUSUAL.test(text) ? oneLine(text) : text.trim()).normalize('NFC')
}
