import { escapeUTF8 as escapeXml } from 'entities'
import { DateTime } from 'luxon'
import { type Attribute, mergeAttributes, type StoredAttribute } from '../catalogue/attributes.ts'
import type { SettingValues } from '../settings/keys.ts'
import { addressOf } from './addresses.ts'
import { line, textOfHtml } from './yml-text.ts'

/** Why a product is left out; each product counts once, the first that applies. */
export type ExclusionReason = 'INACTIVE' | 'NO_PRICE' | 'NO_CATEGORY' | 'HIDDEN_CATEGORY' | 'NO_NAME'

/** What one offer is made from. Prices are decimal text. */
export type FeedProduct = {
  id: number
  name: string
  slug: string
  description: string | null
  final_price: string
  /** The supplier's price where the shop's own is lower. */
  old_price: string | null
  available: boolean
  category_id: number
  vendor: string | null
  images: { id: number }[]
  attributes: StoredAttribute[]
}

export type FeedCategory = { id: number; parentId: number | null; name: string }

/** Limits of the format, in characters; the stricter where editions differ. */
const MAX_NAME_LENGTH = 256
const MAX_DESCRIPTION_LENGTH = 3000
const MAX_VENDOR_LENGTH = 256
const MAX_PARAM_NAME_LENGTH = 100
const MAX_PARAM_VALUE_LENGTH = 1000
export const MAX_PICTURES = 10
const MAX_PARAMS = 100
/** Attributes of one product that are looked at: some hide others, some are empty. */
export const ATTRIBUTES_READ = 2 * MAX_PARAMS
/** Characters of a stored description that are looked at: ten times what is shown, for the markup in it. */
export const DESCRIPTION_READ = 10 * MAX_DESCRIPTION_LENGTH

/** The beginning of the feed, with the only part that differs between two feeds of the same content: the date. */
export function ymlOpening(date: Date, timeZone: string): string {
  const written = DateTime.fromJSDate(date, { zone: timeZone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<yml_catalog date="${written}">\n`
}

/** The shop as the feed presents it, up to the first offer. */
export function ymlShop(settings: SettingValues, siteUrl: string, categories: FeedCategory[]): string {
  const name = line(settings.site_name, MAX_NAME_LENGTH) || new URL(siteUrl).host
  const company = line(settings.shop_company, MAX_NAME_LENGTH) || name
  return `<shop>
<name>${escapeXml(name)}</name>
<company>${escapeXml(company)}</company>
<url>${escapeXml(siteUrl)}</url>
<currencies><currency id="${escapeXml(settings.shop_currency)}" rate="1"/></currencies>
<categories>
${categories.map(ymlCategory).join('')}</categories>
${ymlDelivery(settings)}<offers>
`
}

function ymlCategory({ id, parentId, name }: FeedCategory): string {
  const parent = parentId === null ? '' : ` parentId="${parentId}"`
  // The format wants a name; a category without one must not take its products out of the feed.
  return `<category id="${id}"${parent}>${escapeXml(line(name, MAX_NAME_LENGTH)) || id}</category>\n`
}

function ymlDelivery({ delivery_price, delivery_days }: SettingValues): string {
  if (delivery_price === '') return ''
  const option = `<option cost="${escapeXml(delivery_price)}" days="${escapeXml(delivery_days)}"/>`
  return `<delivery-options>${option}</delivery-options>\n`
}

export const YML_CLOSING = '</offers>\n</shop>\n</yml_catalog>\n'

/** @returns null when nothing of the product's name can be shown: NO_NAME */
export function ymlOffer(product: FeedProduct, siteUrl: string, currency: string): string | null {
  const name = line(product.name, MAX_NAME_LENGTH)
  if (name === '') return null
  const site = escapeXml(siteUrl)
  const { id, old_price } = product
  const address = escapeXml(addressOf(siteUrl, 'products', product.slug))
  let offer = `<offer id="${id}" available="${product.available}"><url>${address}</url>`
  offer += `<price>${product.final_price}</price>`
  if (old_price !== null) offer += `<oldprice>${old_price}</oldprice>`
  offer += `<currencyId>${escapeXml(currency)}</currencyId><categoryId>${product.category_id}</categoryId>`
  for (const image of product.images.slice(0, MAX_PICTURES)) {
    offer += `<picture>${site}/api/v1/images/${image.id}</picture>`
  }
  offer += '<store>false</store><pickup>false</pickup><delivery>true</delivery>'
  offer += `<name>${escapeXml(name)}</name>`
  const vendor = line(product.vendor ?? '', MAX_VENDOR_LENGTH)
  if (vendor !== '') offer += `<vendor>${escapeXml(vendor)}</vendor>`
  const description = line(textOfHtml(product.description ?? ''), MAX_DESCRIPTION_LENGTH)
  if (description !== '') offer += `<description>${escapeXml(description)}</description>`
  return `${offer}${ymlParams(mergeAttributes(product.attributes))}</offer>\n`
}

function ymlParams(attributes: Attribute[]): string {
  const params: string[] = []
  for (const attribute of attributes) {
    const name = line(attribute.name, MAX_PARAM_NAME_LENGTH)
    const value = line(textOfHtml(attribute.value), MAX_PARAM_VALUE_LENGTH)
    if (name !== '' && value !== '')
      params.push(`<param name="${escapeXml(name)}">${escapeXml(value)}</param>`)
    if (params.length === MAX_PARAMS) break
  }
  return params.join('')
}

/**
 * Whether a feed has lost so many offers that it looks broken rather than changed.
 * @param published offers of the feed that is served; null: there is none
 * @param leastPercent 0 accepts any
 * @returns the reason for rejecting it; null when there is none
 */
export function shrinkage(offers: number, published: number | null, leastPercent: number): string | null {
  if (published === null || offers * 100 >= published * leastPercent) return null
  return `${offers} offers are less than ${leastPercent} % of the ${published} in the published feed (feed_min_offers_percent)`
}
