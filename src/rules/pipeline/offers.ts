import { messageOf } from '../../errors.ts'
import { beginningOf } from '../text.ts'
import { digestsOf } from './digests.ts'
import { attributesOf, nameOf, normalise, readElement, textOf, type XmlElement } from './elements.ts'

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
  /** The digests of OFFER_FIELDS (digests.ts), concatenated. */
  digests: string
}

export type FeedCategory = { id: string; name: string; parentId: string | null }

/** Replaces invalid bytes: the feed is not in the encoding that it declares. */
const REPLACEMENT_CHARACTER = '\uFFFD'
const MAX_ID_LENGTH = 200
const MAX_NAME_LENGTH = 500
const MAX_PRICE_LENGTH = 40
const MAX_URL_LENGTH = 2000
const MAX_PARAM_NAME_LENGTH = 200
const MAX_PARAM_VALUE_LENGTH = 2000
const MAX_PICTURES = 50
const MAX_PARAMS = 300

/** Feeds may repeat these; the first non-empty one counts. */
const TEXT_ELEMENTS = 'name model price available categoryId vendor description url'.split(' ')

/** Reads an offer. Invalid parts are repaired or left out. @returns why it is skipped, if it is */
export function readOffer(xml: string): FeedOffer | string {
  const element = parse(xml)
  if (typeof element === 'string') return element
  const { attributes, children } = element
  const id = readId(attributes.id)
  if (id === null) return attributes.id ? 'its id is too long' : 'it has no id'
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
    name: beginningOf(normalise(texts.name || texts.model || ''), MAX_NAME_LENGTH),
    price: beginningOf(normalise(texts.price ?? ''), MAX_PRICE_LENGTH) || null,
    categoryId: readId(texts.categoryId),
    pageUrl: readUrl(texts.url ?? ''),
    pictures: [...new Set(pictures.flatMap((text) => readUrl(text) ?? []))].slice(0, MAX_PICTURES),
    params: params.slice(0, MAX_PARAMS),
  }
  const used = [id, offer.name, ...offer.params.flatMap(({ name, value }) => [name, value])]
  if (used.some((text) => text.includes(REPLACEMENT_CHARACTER)))
    return 'it has bytes that are invalid in the declared encoding'
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

/** @returns why the category is skipped, if it is */
export function readCategory(xml: string): FeedCategory | string {
  const element = parse(xml)
  if (typeof element === 'string') return element
  const { attributes, children } = element
  const id = readId(attributes.id)
  const name = beginningOf(normalise(textOf(children)), MAX_NAME_LENGTH)
  if (id === null) return 'the category has no id'
  if (name === '') return 'the category has no name'
  const parentId = readId(attributes.parentId)
  return { id, name, parentId: parentId === id ? null : parentId }
}

function parse(xml: string): XmlElement | string {
  try {
    return readElement(xml)
  } catch (error) {
    return beginningOf(messageOf(error), 200)
  }
}

/** @returns null for a blank or too long id */
function readId(text: string | undefined): string | null {
  const id = normalise(text ?? '')
  return id === '' || id.length > MAX_ID_LENGTH ? null : id
}

const HTTP_URL = /^https?:\/\/[^\s/?#@:]\S*$/i

/** @returns null for anything but an http(s) URL */
function readUrl(text: string): string | null {
  const url = text.trim()
  return url.length <= MAX_URL_LENGTH && HTTP_URL.test(url) ? url : null
}

/** Ignores params without a name or a value. The unit is appended to the value. */
function addParam(params: FeedOffer['params'], attributes: XmlElement['attributes'], text: string): void {
  const name = beginningOf(normalise(attributes.name ?? ''), MAX_PARAM_NAME_LENGTH)
  const value = normalise(text)
  if (name === '' || value === '') return
  const unit = normalise(attributes.unit ?? '')
  params.push({ name, value: beginningOf(unit === '' ? value : `${value} ${unit}`, MAX_PARAM_VALUE_LENGTH) })
}
