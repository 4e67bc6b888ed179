import { beginningOf } from '../text.ts'
import { digestOf } from './digests.ts'
import { attributesOf, folded, nameOf, readElement, textOf, type XmlElement } from './elements.ts'

/** An offer of the feed, as far as the shop uses it. Texts can be stored. */
export type FeedOffer = {
  id: string
  name: string
  /** As it is written. */
  price: string | null
  categoryId: string | null
  pageUrl: string | null
  pictures: string[]
  params: { name: string; value: string }[]
  /** A digest of each of OFFER_FIELDS (digests.ts), one after the other. */
  digests: string
}

export type FeedCategory = { id: string; name: string; parentId: string | null }

/** What a decoder puts in the place of bytes that mean nothing: the feed is not in the encoding that it names. */
const UNREADABLE = '\uFFFD'
const MAX_ID_LENGTH = 200
const MAX_NAME_LENGTH = 500
const MAX_PRICE_LENGTH = 40
const MAX_URL_LENGTH = 2000
const MAX_PARAM_NAME_LENGTH = 200
const MAX_PARAM_VALUE_LENGTH = 2000
const MAX_PICTURES = 50
const MAX_PARAMS = 300

export type Reading<T> = { value: T; reason: null } | { value: null; id: string | null; reason: string }

/** Reads the XML of an offer; what is odd in it is mended or left out, without an id it is none. */
export function readOffer(xml: string): Reading<FeedOffer> {
  const read = readStorable(xml)
  if (read.value === null) return read
  const { attributes, children } = read.value
  const id = readId(attributes.id)
  if (id === null) return refused(null, attributes.id ? 'its id is too long' : 'it has no id')
  const texts: { [name: string]: string } = {}
  let other = ''
  const pictures: string[] = []
  const params: FeedOffer['params'] = []
  for (const node of children) {
    const name = nameOf(node)
    const inside = node[name]
    if (name === 'param') addParam(params, attributesOf(node), textOf(inside))
    else if (name === 'picture') addUrl(pictures, textOf(inside))
    else if (KNOWN.has(name)) texts[name] ||= textOf(inside).trim()
    else if (name !== '') other += `${name} ${textOf(inside).trim()}\n`
  }
  const pages: string[] = []
  addUrl(pages, texts.url ?? '')
  const [pageUrl = null] = pages
  const offer = {
    name: beginningOf(folded(texts.name || texts.model || ''), MAX_NAME_LENGTH),
    price: beginningOf(folded(texts.price ?? ''), MAX_PRICE_LENGTH) || null,
    categoryId: readId(texts.categoryId),
    pageUrl,
    pictures: [...new Set(pictures)].slice(0, MAX_PICTURES),
    params: params.slice(0, MAX_PARAMS),
  }
  const used = [id, offer.name, ...offer.params.flatMap(({ name, value }) => [name, value])]
  if (used.some((text) => text.includes(UNREADABLE))) return refused(id, 'it holds bytes that are no text')
  const digests = [
    ...[offer.name, offer.price ?? '', attributes.available ?? texts.available ?? '', offer.categoryId ?? ''],
    ...[texts.vendor ?? '', texts.description ?? '', pageUrl ?? '', offer.pictures.join('\n')],
    ...[JSON.stringify(offer.params), other],
  ].map(digestOf)
  return { value: { id, ...offer, digests: digests.join('') }, reason: null }
}

/** Of these the first that is not empty counts: real feeds repeat them. */
const KNOWN = new Set([
  ...['name', 'model', 'price', 'available', 'categoryId', 'vendor', 'description', 'url'],
])

/** Reads the XML of a category. */
export function readCategory(xml: string): Reading<FeedCategory> {
  const read = readStorable(xml)
  if (read.value === null) return read
  const { attributes, children } = read.value
  const id = readId(attributes.id)
  const name = beginningOf(folded(textOf(children)), MAX_NAME_LENGTH)
  if (id === null) return refused(null, 'the category has no id')
  if (name === '') return refused(id, 'the category has no name')
  const parentId = readId(attributes.parentId)
  return { value: { id, name, parentId: parentId === id ? null : parentId }, reason: null }
}

function readStorable(xml: string): Reading<XmlElement> {
  // Half a surrogate pair comes out of no decoder.
  if (xml.includes('\0')) return refused(null, 'it holds the character U+0000')
  try {
    return { value: readElement(xml), reason: null }
  } catch (error) {
    return refused(null, error instanceof Error ? beginningOf(error.message, 200) : 'it can not be read')
  }
}

function refused(id: string | null, reason: string): Reading<never> {
  return { value: null, id, reason }
}

/** Blank is none; one that is too long can be no id. */
function readId(text: string | undefined): string | null {
  const id = folded(text ?? '')
  return id === '' || id.length > MAX_ID_LENGTH ? null : id
}

const HTTP_URL = /^https?:\/\/[^\s/?#@:]\S*$/i

/** Whatever is no http(s) address is left out. */
function addUrl(urls: string[], text: string): void {
  const url = text.trim()
  if (url.length <= MAX_URL_LENGTH && HTTP_URL.test(url)) urls.push(url)
}

/** A name and a value, with the unit behind it; without either it is none. */
function addParam(params: FeedOffer['params'], attributes: XmlElement['attributes'], text: string): void {
  const name = beginningOf(folded(attributes.name ?? ''), MAX_PARAM_NAME_LENGTH)
  const value = folded(text)
  if (name === '' || value === '') return
  const unit = folded(attributes.unit ?? '')
  params.push({ name, value: beginningOf(unit === '' ? value : `${value} ${unit}`, MAX_PARAM_VALUE_LENGTH) })
}
