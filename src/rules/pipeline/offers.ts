import { crc32 } from 'node:zlib'
import { decodeHTMLStrict } from 'entities'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { FeedError } from '../../errors.ts'
import { beginningOf, oneLine, readName, readUrl } from '../text.ts'

/** The parts of an offer that the shop uses, with texts that PostgreSQL can store. */
export type FeedOffer = {
  id: string
  name: string
  /** As written in the feed. */
  price: string | null
  categoryId: string | null
  pageUrl: string | null
  pictures: string[]
  params: { name: string; value: string }[]
  /** The digests of OFFER_FIELDS, concatenated. */
  digests: string
}

export type FeedCategory = { id: string; name: string; parentId: string | null }

/** Stands for bytes that are invalid in the declared encoding. */
const REPLACEMENT_CHARACTER = '\uFFFD'
const MAX_ID_LENGTH = 200
const MAX_NAME_LENGTH = 500
const MAX_PRICE_LENGTH = 40
const MAX_PARAM_NAME_LENGTH = 200
const MAX_PARAM_VALUE_LENGTH = 2000
const MAX_PICTURES = 50
const MAX_PARAMS = 300

/** Feeds may repeat these; the first non-empty one counts. */
const TEXT_ELEMENTS = 'name model price available categoryId vendor description url'.split(' ')

/** Reads an offer. Invalid parts are repaired or left out. @throws Error, whose message says why it is skipped */
export function readOffer(xml: string): FeedOffer {
  const { attributes, children } = parse(xml)
  const id = readId(attributes.id)
  if (id === null) throw new FeedError(attributes.id ? 'its id is too long' : 'it has no id')
  const texts: { [name: string]: string } = {}
  let other = ''
  const pictures: string[] = []
  const params: FeedOffer['params'] = []
  for (const node of children) {
    const name = nameOf(node)
    const inside = node[name]
    if (name === 'param') addParam(params, attributesOf(node), textOf(inside))
    else if (name === 'picture') pictures.push(textOf(inside))
    else if (TEXT_ELEMENTS.includes(name)) texts[name] ||= textOf(inside).trim()
    else if (name !== '') other += `${name} ${textOf(inside).trim()}\n`
  }
  const offer = {
    name: lineOf(texts.name || texts.model || '', MAX_NAME_LENGTH),
    price: lineOf(texts.price ?? '', MAX_PRICE_LENGTH) || null,
    categoryId: readId(texts.categoryId),
    pageUrl: readUrl(texts.url ?? ''),
    pictures: [...new Set(pictures.flatMap((text) => readUrl(text) ?? []))].slice(0, MAX_PICTURES),
    params: params.slice(0, MAX_PARAMS),
  }
  const used = [id, offer.name, ...offer.params.flatMap(({ name, value }) => [name, value])]
  if (used.some((text) => text.includes(REPLACEMENT_CHARACTER)))
    throw new FeedError('it has bytes that are invalid in the declared encoding')
  const digests = digestsOf({
    name: offer.name,
    price: offer.price,
    available: attributes.available ?? texts.available,
    category: offer.categoryId,
    vendor: texts.vendor,
    description: texts.description,
    url: offer.pageUrl,
    pictures: offer.pictures.join('\n'),
    params: JSON.stringify(offer.params),
    other,
  })
  return { id, ...offer, digests }
}

/** @throws Error, whose message says why the category is skipped */
export function readCategory(xml: string): FeedCategory {
  const { attributes, children } = parse(xml)
  const id = readId(attributes.id)
  const name = lineOf(textOf(children), MAX_NAME_LENGTH)
  if (id === null) throw new FeedError('the category has no id')
  if (name === '') throw new FeedError('the category has no name')
  const parentId = readId(attributes.parentId)
  return { id, name, parentId: parentId === id ? null : parentId }
}

/** @returns null for a blank or too long id */
function readId(text: string | undefined): string | null {
  const id = lineOf(text ?? '', MAX_ID_LENGTH + 1)
  return id === '' || id.length > MAX_ID_LENGTH ? null : id
}

/** Ignores params without a name or a value. The unit is appended to the value. */
function addParam(params: FeedOffer['params'], attributes: XmlElement['attributes'], text: string): void {
  const name = lineOf(attributes.name ?? '', MAX_PARAM_NAME_LENGTH)
  const value = lineOf(`${text} ${attributes.unit ?? ''}`, MAX_PARAM_VALUE_LENGTH)
  if (name !== '' && oneLine(text) !== '') params.push({ name, value })
}

/** The parts of an offer that snapshots compare. Digests are stored in this order, so append new fields. */
export const OFFER_FIELDS = [
  'name',
  'price',
  'available',
  'category',
  'vendor',
  'description',
  'url',
  'pictures',
  'params',
  'other',
] as const
type OfferField = (typeof OFFER_FIELDS)[number]

/** Hexadecimal digits of a CRC-32, which detects changes but doesn't protect against forgery. */
const DIGITS = 8

/** The digests of an offer's parts, concatenated. */
function digestsOf(parts: Record<OfferField, string | null | undefined>): string {
  return OFFER_FIELDS.map((field) =>
    crc32(parts[field] ?? '')
      .toString(16)
      .padStart(DIGITS, '0'),
  ).join('')
}

/** The fields whose digests differ between two concatenations. */
export function changedFields(before: string, after: string): OfferField[] {
  const part = (digests: string, index: number) => digests.slice(index * DIGITS, (index + 1) * DIGITS)
  return OFFER_FIELDS.filter((_, index) => part(before, index) !== part(after, index))
}

/** An element under its name, with its attributes; or a text node. */
type Node = { [name: string]: Node[] } & { '#text'?: string; ':@'?: { [attribute: string]: string } }

type XmlElement = { attributes: { [name: string]: string }; children: Node[] }

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

/** @throws Error when the element can't be read */
function parse(xml: string): XmlElement {
  const valid = XMLValidator.validate(xml)
  if (valid !== true) throw new FeedError(`it is malformed: ${valid.err.msg}`)
  const [element]: Node[] = parser.parse(xml)
  if (element === undefined) throw new FeedError('it is empty')
  return { attributes: attributesOf(element), children: element[nameOf(element)] ?? [] }
}

/** The name of an element; empty for text and processing instructions. */
function nameOf(node: Node): string {
  for (const name in node) return name === '#text' || name.startsWith('?') ? '' : name
  return ''
}

function attributesOf(node: Node): { [name: string]: string } {
  return node[':@'] ?? {}
}

/** All text within, including nested elements. */
function textOf(children: Node[] = []): string {
  return children.map((node) => node['#text'] ?? textOf(node[nameOf(node)])).join('')
}

/** The beginning of a text as a name. */
function lineOf(text: string, maxLength: number): string {
  return beginningOf(readName(text), maxLength)
}
