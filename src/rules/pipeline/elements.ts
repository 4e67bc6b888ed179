import { decodeHTMLStrict } from 'entities'
import { XMLParser } from 'fast-xml-parser'
import { oneLine } from '../text.ts'

/** An element under its name, with its attributes; or a text. */
type Node = { [name: string]: Node[] } & { '#text'?: string; ':@'?: { [attribute: string]: string } }

/** An element as it was written, with its texts decoded. */
export type XmlElement = { attributes: { [name: string]: string }; children: Node[] }

const NO_ATTRIBUTES = {}

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
  const [element] = nodes
  if (element === undefined) throw new Error('There is no element')
  return { attributes: attributesOf(element), children: element[nameOf(element)] ?? [] }
}

/** The name of an element; of a text or an instruction it is empty. */
export function nameOf(node: Node): string {
  for (const name in node) return name === '#text' || name.startsWith('?') ? '' : name
  return ''
}

export function attributesOf(node: Node): { [name: string]: string } {
  return node[':@'] ?? NO_ATTRIBUTES
}

/** All text within, that of nested elements too. */
export function textOf(children: Node[] | undefined): string {
  if (children === undefined) return ''
  const [only] = children
  if (children.length === 1 && only?.['#text'] !== undefined) return only['#text']
  let text = ''
  for (const node of children) text += node['#text'] ?? textOf(node[nameOf(node)])
  return text
}

const UNUSUAL = /[^\S ]|\s\s|\p{Cc}/u

/** On one line, in Unicode's form NFC, without space around it. */
export function folded(text: string): string {
  return (UNUSUAL.test(text) ? oneLine(text) : text.trim()).normalize('NFC')
}
