import { escapeUTF8 as escapeXml } from 'entities'
import { DateTime } from 'luxon'
import { type Attribute, mergeAttributes, type StoredAttribute } from '../catalogue/attributes.ts'
import type { SettingValues } from '../settings/keys.ts'
import { storefrontUrl } from './storefront.ts'
import { line, textOfHtml } from './yml-text.ts'

/** Why a product is left out: the first reason that applies. */
export type ExclusionReason = 'INACTIVE' | 'NO_PRICE' | 'NO_CATEGORY' | 'HIDDEN_CATEGORY' | 'NO_NAME'

/** Prices are decimal text. */
export type FeedProduct = {
  id: number
  name: string
  slug: string
  description: string | null
  final_price: string
  /** The supplier's price if the shop's own is lower. */
  old_price: string | null
  available: boolean
  category_id: number
  vendor: string | null
  images: { id: number }[]
  attributes: StoredAttribute[]
}

export type FeedCategory = { id: number; parentId: number | null; name: string }

/** Limits of the format, in characters; the strictest of its editions. */
const MAX_NAME_LENGTH = 256
const MAX_DESCRIPTION_LENGTH = 3000
const MAX_VENDOR_LENGTH = 256
const MAX_PARAM_NAME_LENGTH = 100
const MAX_PARAM_VALUE_LENGTH = 1000
export const MAX_PICTURES = 10
const MAX_PARAMS = 100
/** Attributes read of one product: some override others, some are empty. */
export const MAX_ATTRIBUTES_READ = 2 * MAX_PARAMS
/** Characters read of a description: ten times the limit, as markup is removed. */
export const MAX_DESCRIPTION_READ = 10 * MAX_DESCRIPTION_LENGTH

/** The beginning of the feed with its date, which the content hash leaves out. */
export function ymlOpening(date: Date, timeZone: string): string {
  const formatted = DateTime.fromJSDate(date, { zone: timeZone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<yml_catalog date="${formatted}">\n`
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
  // The format requires a name.
  return `<category id="${id}"${parent}>${escapeXml(line(name, MAX_NAME_LENGTH)) || id}</category>\n`
}

function ymlDelivery({ delivery_price, delivery_days }: SettingValues): string {
  if (delivery_price === '') return ''
  const option = `<option cost="${escapeXml(delivery_price)}" days="${escapeXml(delivery_days)}"/>`
  return `<delivery-options>${option}</delivery-options>\n`
}

export const YML_CLOSING = '</offers>\n</shop>\n</yml_catalog>\n'

/** @returns null if no character of the name is valid (NO_NAME) */
export function ymlOffer(product: FeedProduct, siteUrl: string, currency: string): string | null {
  const name = line(product.name, MAX_NAME_LENGTH)
  if (name === '') return null
  const site = escapeXml(siteUrl)
  const { id, old_price } = product
  const address = escapeXml(storefrontUrl(siteUrl, 'products', product.slug))
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
 * Checks that a feed has not lost suspiciously many offers.
 * @param published offers of the published feed; null: there is none
 * @param minPercent 0 accepts any
 * @returns the reason to reject it; null to accept
 */
export function shrinkage(offers: number, published: number | null, minPercent: number): string | null {
  if (published === null || offers * 100 >= published * minPercent) return null
  return `${offers} offers are fewer than ${minPercent} % of the ${published} in the published feed (feed_min_offers_percent)`
}
