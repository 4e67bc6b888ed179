import { expect, test } from 'vitest'
import type { FeedProduct, FeedShop } from '../../../src/rules/published/feeds.ts'
import { GOOGLE_MERCHANT } from '../../../src/rules/published/google-merchant.ts'
import { withDefaults } from '../../../src/rules/settings/keys.ts'

const tools = { id: 1, parentId: null, name: 'Tools', path: ['Tools', 'Drills & bits'] }
const shop: FeedShop = {
  siteUrl: 'https://shop.example',
  settings: withDefaults([
    { key: 'shop_currency', value: 'RUR' },
    { key: 'feed_product_url', value: 'https://m.shop.example/p/{id}-{slug}' },
    { key: 'feed_image_url', value: 'https://api.shop.example' },
  ]),
  categories: new Map([[1, tools]]),
}
const product: FeedProduct = {
  id: 7,
  external_id: 'AB-1',
  name: 'Drill',
  slug: 'drill',
  description: null,
  vendor: 'Vector',
  final_price: '12.50',
  old_price: '15.00',
  available_quantity: 0,
  category_id: 1,
  attributes: [],
  images: [
    { id: 3, sha256: 'c'.repeat(64), content_type: 'image/jpeg' },
    { id: 1, sha256: 'a'.repeat(64), content_type: 'image/gif' },
  ],
}
const write = (fields: Partial<FeedProduct> = {}) => GOOGLE_MERCHANT.offer({ ...product, ...fields }, shop)

test('writes all elements of an item', () => {
  expect(write()).toEqual({
    text:
      '<item><g:id>7</g:id><title>Drill</title><description>Drill</description>' +
      '<link>https://m.shop.example/p/7-drill</link><g:image_link>https://api.shop.example/api/v1/images/3?v=cccccccccccc</g:image_link>' +
      '<g:additional_image_link>https://api.shop.example/api/v1/images/1?v=aaaaaaaaaaaa&amp;format=webp</g:additional_image_link>' +
      '<g:availability>out_of_stock</g:availability><g:price>15.00 RUB</g:price><g:sale_price>12.50 RUB</g:sale_price>' +
      '<g:brand>Vector</g:brand><g:mpn>AB-1</g:mpn><g:identifier_exists>yes</g:identifier_exists>' +
      '<g:product_type>Tools &gt; Drills &amp; bits</g:product_type><g:condition>new</g:condition></item>\n',
  })
  const { text } = { text: '', ...write({ vendor: null, old_price: null, available_quantity: 1 }) }
  expect(text).toContain('<g:availability>in_stock</g:availability><g:price>12.50 RUB</g:price><g:mpn>')
  expect(text).toContain('<g:identifier_exists>no</g:identifier_exists>')
})

test('leaves out products without a name or an image, which Google requires', () => {
  expect(write({ name: '\u0001 ' })).toEqual({ excluded: 'NO_NAME' })
  expect(write({ images: [] })).toEqual({ excluded: 'NO_IMAGE' })
})
