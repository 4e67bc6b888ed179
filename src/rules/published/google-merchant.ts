import {
  articleOf,
  element,
  type FeedFormat,
  type FeedProduct,
  type FeedShop,
  line,
  pictureAddresses,
  textOfHtml,
} from './feeds.ts'
import { feedAddress } from './pages.ts'

/** Limits of Google's product data specification, in characters. */
const MAX_TITLE_LENGTH = 150
const MAX_DESCRIPTION_LENGTH = 5000
const MAX_IDENTIFIER_LENGTH = 70
const MAX_PRODUCT_TYPE_LENGTH = 750
/** The main one and ten more. */
const MAX_PICTURES = 11

/** The catalogue for Google Merchant Center: RSS 2.0 with the elements of the namespace `g`. */
export const GOOGLE_MERCHANT: FeedFormat = {
  opening: (date) =>
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n' +
    `<lastBuildDate>${date.toUTCString()}</lastBuildDate>\n`,
  shop({ settings, siteUrl }) {
    const title = line(settings.site_name, MAX_TITLE_LENGTH) || new URL(siteUrl).host
    const description = line(settings.seo_site_description, MAX_DESCRIPTION_LENGTH) || title
    const elements = [element('title', title), element('link', siteUrl), element('description', description)]
    return `${elements.join('\n')}\n`
  },
  offer: item,
  closing: '</channel>\n</rss>\n',
}

function item(product: FeedProduct, shop: FeedShop): ReturnType<FeedFormat['offer']> {
  const title = line(product.name, MAX_TITLE_LENGTH)
  if (title === '') return { excluded: 'NO_NAME' }
  const [picture, ...others] = pictureAddresses(shop, product, MAX_PICTURES)
  if (picture === undefined) return { excluded: 'NO_IMAGE' }
  // ISO 4217 dropped RUR, which YML still has.
  const currency = shop.settings.shop_currency.replace('RUR', 'RUB')
  const price = (amount: string) => `${amount} ${currency}`
  const brand = line(product.vendor ?? '', MAX_IDENTIFIER_LENGTH)
  const mpn = line(articleOf(product), MAX_IDENTIFIER_LENGTH)
  const path = shop.categories.get(product.category_id)?.path ?? []
  const elements = [
    element('g:id', String(product.id)),
    element('title', title),
    // The format requires a description.
    element('description', line(textOfHtml(product.description ?? ''), MAX_DESCRIPTION_LENGTH) || title),
    element('link', feedAddress(shop.siteUrl, product, shop.settings)),
    element('g:image_link', picture),
    ...others.map((address) => element('g:additional_image_link', address)),
    element('g:availability', product.available_quantity > 0 ? 'in_stock' : 'out_of_stock'),
    element('g:price', price(product.old_price ?? product.final_price)),
    product.old_price === null ? '' : element('g:sale_price', price(product.final_price)),
    element('g:brand', brand),
    element('g:mpn', mpn),
    element('g:identifier_exists', brand !== '' && mpn !== '' ? 'yes' : 'no'),
    element('g:product_type', line(path.join(' > '), MAX_PRODUCT_TYPE_LENGTH)),
    element('g:condition', 'new'),
  ]
  return { text: `<item>${elements.join('')}</item>\n` }
}
