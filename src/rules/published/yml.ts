import { escapeUTF8 as escapeXml } from 'entities'
import { DateTime } from 'luxon'
import { type Attribute, mergeAttributes } from '../catalogue/attributes.ts'
import type { SettingValues } from '../settings/keys.ts'
import {
  articleOf,
  element,
  type FeedCategory,
  type FeedFormat,
  type FeedProduct,
  type FeedShop,
  line,
  pictureAddresses,
  textOfHtml,
} from './feeds.ts'
import { feedAddress } from './pages.ts'

/** Limits of the format, in characters; the strictest of its editions. */
const MAX_NAME_LENGTH = 120
const MAX_DESCRIPTION_LENGTH = 3000
const MAX_VENDOR_LENGTH = 256
const MAX_ARTICLE_LENGTH = 100
const MAX_PARAM_NAME_LENGTH = 100
const MAX_PARAM_VALUE_LENGTH = 500
const MAX_PICTURES = 10
const MAX_PARAMS = 100

/** The catalogue for Yandex and other price comparison services. */
export const YML: FeedFormat = {
  opening: ymlOpening,
  shop: ymlShop,
  offer: ymlOffer,
  closing: '</offers>\n</shop>\n</yml_catalog>\n',
}

function ymlOpening(date: Date, timeZone: string): string {
  const formatted = DateTime.fromJSDate(date, { zone: timeZone }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZ")
  return `<?xml version="1.0" encoding="UTF-8"?>\n<yml_catalog date="${formatted}">\n`
}

function ymlShop({ settings, siteUrl, categories }: FeedShop): string {
  const name = line(settings.site_name, MAX_NAME_LENGTH) || new URL(siteUrl).host
  const company = line(settings.shop_company, MAX_NAME_LENGTH) || name
  return `<shop>
<name>${escapeXml(name)}</name>
<company>${escapeXml(company)}</company>
<url>${escapeXml(siteUrl)}</url>
<currencies><currency id="${escapeXml(settings.shop_currency)}" rate="1"/></currencies>
<categories>
${[...categories.values()].map(ymlCategory).join('')}</categories>
${ymlDelivery(settings)}<offers>
`
}

function ymlCategory({ id, parentId, name }: FeedCategory): string {
  const parent = parentId === null ? '' : ` parentId="${parentId}"`
  // The format requires a name.
  return `<category id="${id}"${parent}>${escapeXml(line(name, MAX_NAME_LENGTH)) || id}</category>\n`
}

function ymlDelivery({ delivery_price, delivery_days, feed_delivery }: SettingValues): string {
  if (delivery_price === '' || feed_delivery === 'false') return ''
  const option = `<option cost="${escapeXml(delivery_price)}" days="${escapeXml(delivery_days)}"/>`
  return `<delivery-options>${option}</delivery-options>\n`
}

function ymlOffer(product: FeedProduct, shop: FeedShop): ReturnType<FeedFormat['offer']> {
  const name = line(product.name, MAX_NAME_LENGTH)
  if (name === '') return { excluded: 'NO_NAME' }
  const { id, old_price, available_quantity } = product
  const { shop_currency, feed_store, feed_pickup, feed_delivery } = shop.settings
  const address = escapeXml(feedAddress(shop.siteUrl, product, shop.settings))
  let text = `<offer id="${id}" available="${available_quantity > 0}"><url>${address}</url>`
  text += `<price>${product.final_price}</price>`
  if (old_price !== null) text += `<oldprice>${old_price}</oldprice>`
  text += `<currencyId>${escapeXml(shop_currency)}</currencyId><categoryId>${product.category_id}</categoryId>`
  for (const picture of pictureAddresses(shop, product, MAX_PICTURES)) text += element('picture', picture)
  text += `<store>${feed_store}</store><pickup>${feed_pickup}</pickup><delivery>${feed_delivery}</delivery>`
  text += element('name', name)
  text += element('vendor', line(product.vendor ?? '', MAX_VENDOR_LENGTH))
  text += element('vendorCode', line(articleOf(product), MAX_ARTICLE_LENGTH))
  text += element('description', line(textOfHtml(product.description ?? ''), MAX_DESCRIPTION_LENGTH))
  text += `<count>${Math.max(0, available_quantity)}</count>`
  return { text: `${text}${ymlParams(mergeAttributes(product.attributes))}</offer>\n` }
}

function ymlParams(attributes: Attribute[]): string {
  const params: string[] = []
  for (const attribute of attributes) {
    const name = line(attribute.name, MAX_PARAM_NAME_LENGTH)
    const value = line(attribute.value, MAX_PARAM_VALUE_LENGTH)
    if (name !== '' && value !== '') params.push(`<param name="${escapeXml(name)}">${escapeXml(value)}</param>`)
    if (params.length === MAX_PARAMS) break
  }
  return params.join('')
}
