import { crc32 } from 'node:zlib'
import { decodeHTMLStrict } from 'entities'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { SupplierFeedError } from '../../errors.ts'
import { plainText } from '../supplier/texts.ts'
import { beginningOf, oneLine, readName, readUrl } from '../text.ts'

/** The parts of an offer that the shop uses, with texts that PostgreSQL can store. */
export type SupplierFeedOffer = {
  id: string
  name: string
  /** As written in the supplier feed. */
  price: string | null
  categoryId: string | null
  pageUrl: string | null
  pictures: string[]
  params: { name: string; value: string }[]
  /** Of the whole offer as written in the supplier feed: detects changes, but doesn't protect against forgery. */
  digest: string
}

export type SupplierFeedCategory = { id: string; name: string; parentId: string | null }

/** Stands for bytes that are invalid in the declared encoding. */
const REPLACEMENT_CHARACTER = '\uFFFD'
const MAX_ID_LENGTH = 200
const MAX_NAME_LENGTH = 500
const MAX_PRICE_LENGTH = 40
const MAX_PARAM_NAME_LENGTH = 200
const MAX_PARAM_VALUE_LENGTH = 2000
const MAX_PICTURES = 50
const MAX_PARAMS = 300

/** Reads an offer. Invalid parts are repaired or left out. @throws Error, whose message says why it is skipped */
export function readOffer(xml: string): SupplierFeedOffer {
  const offer = parse(xml, 'offer')
  const id = readId(attributeOf(offer, 'id'))
  if (id === null) throw new SupplierFeedError(attributeOf(offer, 'id') ? 'its id is too long' : 'it has no id')
  const name = lineOf(plainText(firstText(offer, 'name') || firstText(offer, 'model')), MAX_NAME_LENGTH)
  const params = childrenOf(offer, 'param').flatMap(readParam).slice(0, MAX_PARAMS)
  const pictures = childrenOf(offer, 'picture').flatMap((picture) => readUrl(textOf(picture)) ?? [])
  const used = [id, name, ...params.flatMap((param) => [param.name, param.value])]
  if (used.some((text) => text.includes(REPLACEMENT_CHARACTER)))
    throw new SupplierFeedError('it has bytes that are invalid in the declared encoding')
  return {
    id,
    name,
    price: lineOf(firstText(offer, 'price'), MAX_PRICE_LENGTH) || null,
    categoryId: readId(firstText(offer, 'categoryId')),
    pageUrl: readUrl(firstText(offer, 'url')),
    pictures: [...new Set(pictures)].slice(0, MAX_PICTURES),
    params,
    digest: crc32(xml).toString(16),
  }
}

/** @throws Error, whose message says why the category is skipped */
export function readCategory(xml: string): SupplierFeedCategory {
  const category = parse(xml, 'category')
  const id = readId(attributeOf(category, 'id'))
  const name = lineOf(plainText(textOf(category)), MAX_NAME_LENGTH)
  if (id === null) throw new SupplierFeedError('the category has no id')
  if (name === '') throw new SupplierFeedError('the category has no name')
  const parentId = readId(attributeOf(category, 'parentId'))
  return { id, name, parentId: parentId === id ? null : parentId }
}

/** @returns null for a blank or too long id */
function readId(text: string): string | null {
  const id = lineOf(text, MAX_ID_LENGTH + 1)
  return id === '' || id.length > MAX_ID_LENGTH ? null : id
}

/** Returns nothing for a param without a name or a value. The unit is appended to the value. */
function readParam(param: XmlElement): SupplierFeedOffer['params'] {
  const name = lineOf(plainText(attributeOf(param, 'name')), MAX_PARAM_NAME_LENGTH)
  const value = lineOf(plainText(`${textOf(param)} ${attributeOf(param, 'unit')}`), MAX_PARAM_VALUE_LENGTH)
  return name === '' || oneLine(textOf(param)) === '' ? [] : [{ name, value }]
}

/** Its text as `#text`, attributes as `@name`, and lists of the child elements of each name. */
type XmlElement = { [member: string]: string | XmlElement[] }

/**
 * Decodes entities in one pass, so that nothing can expand. Supplier feeds use HTML's names too; unknown names stay as they
 * are.
 */
const decoder = {
  decode: (text: string) => (text.includes('&') ? decodeHTMLStrict(text) : text),
  setExternalEntities() {},
  addInputEntities() {},
  reset() {},
  setXmlVersion() {},
}
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  isArray: (_name, _path, _isLeaf, isAttribute) => !isAttribute,
  alwaysCreateTextNode: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  jPath: false,
  entityDecoder: decoder,
})

/** @throws Error when the element can't be read */
function parse(xml: string, name: string): XmlElement {
  const valid = XMLValidator.validate(xml)
  if (valid !== true) throw new SupplierFeedError(`it is malformed: ${valid.err.msg}`)
  const [element] = childrenOf(parser.parse(xml), name)
  if (element === undefined) throw new SupplierFeedError('it is empty')
  return element
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  const children = element[name]
  return Array.isArray(children) ? children : []
}

function attributeOf(element: XmlElement, name: string): string {
  return String(element[`@${name}`] ?? '')
}

/** The text of an element, without that of nested ones. */
function textOf(element: XmlElement): string {
  return String(element['#text'] ?? '')
}

/** Supplier feeds may repeat elements; the first one that isn't blank counts. */
function firstText(offer: XmlElement, name: string): string {
  const texts = childrenOf(offer, name).map(textOf)
  return texts.find((text) => text.trim() !== '') ?? ''
}

/** The beginning of a text as a name. */
function lineOf(text: string, maxLength: number): string {
  return beginningOf(readName(text), maxLength)
}
