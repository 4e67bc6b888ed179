import { decodeHTMLStrict } from 'entities'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { oneLine } from '../text.ts'

/** An element under its name, with its attributes; or a text node. */
type Node = { [name: string]: Node[] } & { '#text'?: string; ':@'?: { [attribute: string]: string } }

export type XmlElement = { attributes: { [name: string]: string }; children: Node[] }

const NO_ATTRIBUTES = {}

/**
 * Decodes entities in one pass, so that nothing can expand. Feeds use HTML's names too; unknown names stay as they are.
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

/** Parses an element. @throws Error when it is malformed */
export function readElement(xml: string): XmlElement {
  const valid = XMLValidator.validate(xml)
  if (valid !== true) throw new Error(`it is malformed: ${valid.err.msg}`)
  const nodes: Node[] = parser.parse(xml)
  const [element] = nodes
  if (element === undefined) throw new Error('no element found')
  return { attributes: attributesOf(element), children: element[nameOf(element)] ?? [] }
}

/** The name of an element; empty for text and processing instructions. */
export function nameOf(node: Node): string {
  for (const name in node) return name === '#text' || name.startsWith('?') ? '' : name
  return ''
}

export function attributesOf(node: Node): { [name: string]: string } {
  return node[':@'] ?? NO_ATTRIBUTES
}

/** All text within, including nested elements. */
export function textOf(children: Node[] = []): string {
  const [only] = children
  if (children.length === 1 && only?.['#text'] !== undefined) return only['#text']
  let text = ''
  for (const node of children) text += node['#text'] ?? textOf(node[nameOf(node)])
  return text
}

const UNUSUAL = /[^\S ]|\s\s|\p{Cc}/u

/** Normalises text to one trimmed line in Unicode's form NFC. */
export function normalise(text: string): string {
  return (UNUSUAL.test(text) ? oneLine(text) : text.trim()).normalize('NFC')
}
