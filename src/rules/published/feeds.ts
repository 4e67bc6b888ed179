import { decodeHTMLStrict, escapeUTF8 as escapeXml } from 'entities'
import { attributeKey, type StoredAttribute } from '../catalogue/attributes.ts'
import { type AddressedImage, imageUrl } from '../media/urls.ts'
import type { SettingValues } from '../settings/keys.ts'
import { beginningOf } from '../text.ts'

/** Why a product is left out: the first reason that applies. */
type ExclusionReason = 'INACTIVE' | 'NO_PRICE' | 'NO_CATEGORY' | 'HIDDEN_CATEGORY' | 'NO_NAME' | 'NO_IMAGE'

/** Prices are decimal text. */
export type FeedProduct = {
  id: number
  external_id: string | null
  name: string
  slug: string
  description: string | null
  final_price: string
  /** The supplier's price if the shop's own is lower. */
  old_price: string | null
  /** Stock minus reservations; negative after backorders. */
  available_quantity: number
  category_id: number
  vendor: string | null
  images: (AddressedImage & { content_type: string })[]
  attributes: StoredAttribute[]
}

/** `path`: the names from the root, itself included. */
export type FeedCategory = { id: number; parentId: number | null; name: string; path: string[] }

/** `categories`: the visible ones by id, parents first. */
export type FeedShop = {
  siteUrl: string
  settings: SettingValues
  categories: ReadonlyMap<number, FeedCategory>
}

/** How a feed is written; the rest is the same for all of them. */
export type FeedFormat = {
  /** The beginning of the feed with its date, which the content hash leaves out. */
  opening(date: Date, timeZone: string): string
  /** The shop as the feed presents it, up to the first offer. */
  shop(shop: FeedShop): string
  offer(product: FeedProduct, shop: FeedShop): { text: string } | { excluded: ExclusionReason }
  closing: string
}

/** Formats that every reader of feeds accepts; others are converted. */
const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp']
/** Attributes that hold the manufacturer's article number, as they are compared. */
const ARTICLE_NAMES = ['артикул', 'партномер', 'артикул производителя', 'article', 'part number', 'mpn']

/** Addresses of at most `max` pictures, of which each is JPEG, PNG or WebP. */
export function pictureAddresses({ siteUrl, settings }: FeedShop, product: FeedProduct, max: number): string[] {
  const base = settings.feed_image_url || siteUrl
  return product.images.slice(0, max).map((image) => {
    return `${base}${imageUrl(image)}${PICTURE_TYPES.includes(image.content_type) ? '' : '&format=webp'}`
  })
}

/** The article number: an attribute of that name, else the supplier's id. Not yet shortened or escaped. */
export function articleOf({ attributes, external_id }: FeedProduct): string {
  const named = attributes.find(({ name, value }) => {
    return ARTICLE_NAMES.includes(attributeKey(name)) && value.trim() !== ''
  })
  return named?.value ?? external_id ?? ''
}

/**
 * Checks that a feed has not lost suspiciously many offers.
 * @param published offers of the published feed; null: there is none
 * @param minPercent 0 accepts any
 * @returns the reason to reject it; null to accept
 */
export function shrinkage(offers: number, published: number | null, minPercent: number): string | null {
  if (published === null || offers * 100 >= published * minPercent) return null
  return `${offers} offers are fewer than ${minPercent} % of the ${published} in the published feed (feed_min_offers_percent)`
}

/** Characters that XML 1.0 can't represent: control characters, U+FFFE, U+FFFF, lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/**
 * Reduces text to one line without characters that XML forbids, at most `maxLength` UTF-16 units long. It is cut between
 * words if there is a space in the second half, and never within a surrogate pair.
 */
export function line(text: string, maxLength: number): string {
  // Four times the limit leaves room for characters that are dropped.
  const flat = text
    .trimStart()
    .slice(0, 4 * maxLength)
    .replace(FORBIDDEN, '')
    // Single spaces are not matched, for speed.
    .replace(/\s{2,}|[^\S ]/g, ' ')
    .trim()
  if (flat.length <= maxLength) return flat
  const space = flat.lastIndexOf(' ', maxLength)
  const end = space > maxLength / 2 ? space : maxLength
  return beginningOf(flat, end).trimEnd()
}

/** An element of XML; nothing for an empty text. */
export function element(name: string, text: string): string {
  return text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`
}

/** Tags within a line: what they stand in is one word or sentence. */
const INLINE_TAG = /<\/?(?:a|b|strong|i|em|u|s|del|ins|mark|small|sub|sup|code)(?:[\s/][^<>]*)?>/gi

/** Removes tags and decodes entities. Stored descriptions are sanitised: they hold no comments, scripts or stray brackets. */
export function textOfHtml(html: string): string {
  return decodeHTMLStrict(html.replace(INLINE_TAG, '').replace(/<[/!?]?[a-z][^<>]*>/gi, ' '))
}
