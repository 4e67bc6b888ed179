import fc from 'fast-check'
import { expect, test } from 'vitest'
import { articleOf, type FeedFormat, type FeedProduct, type FeedShop } from '../../../src/rules/published/feeds.ts'
import { GOOGLE_MERCHANT } from '../../../src/rules/published/google-merchant.ts'
import { YML } from '../../../src/rules/published/yml.ts'
import { withDefaults } from '../../../src/rules/settings/keys.ts'
import { anyCharacter } from '../../support/characters.ts'
import { findGoogleFaults, findYmlFaults } from '../../support/feed-rules.ts'

const FEEDS = [
  ['YML', YML, findYmlFaults],
  ['Google Merchant', GOOGLE_MERCHANT, findGoogleFaults],
] as const

const PIECES = ['<', '>', '&', '"', "'", ']]>', '<![CDATA[', '<!--', '&amp;amp;', '&#0;', '&#x1F600;', '<script>']
const MORE_PIECES = ['<p a="', '\uD83D', '😀', '\u0000', '\u001F', '\uFFFE', ' ', '\n', '\u00A0', 'слово', 'word ']
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...PIECES, ...MORE_PIECES), { maxLength: 300 }).map((parts) => parts.join('')),
  fc.integer({ min: 100, max: 6000 }).map((length) => 'слово длинное '.repeat(length / 10)),
  fc.integer({ min: 60, max: 6000 }).map((length) => '😀'.repeat(length)),
)
const amount = fc.integer({ min: 1, max: 999_999_999 })
const money = (cents: number) => (cents / 100).toFixed(2)
const product = fc.record({
  external_id: fc.option(hostile),
  name: hostile,
  slug: fc.stringMatching(/^[a-z0-9-]{1,120}$/),
  description: fc.option(hostile),
  price: amount,
  rebate: fc.option(amount),
  available_quantity: fc.integer({ min: -5, max: 2_000_000_000 }),
  vendor: fc.option(hostile),
  images: fc.array(
    fc.record({ id: fc.nat(), content_type: fc.constantFrom('image/jpeg', 'image/avif', 'image/gif') }),
    { maxLength: 15 },
  ),
  attributes: fc.array(
    fc.record({
      name: fc.oneof(hostile, fc.constant('Артикул')),
      value: hostile,
      source: fc.constantFrom('MANUAL', 'EXTERNAL', 'FEED'),
    }),
    { maxLength: 120 },
  ),
})
const catalogue = fc.record({
  site_name: hostile,
  shop_company: hostile,
  seo_site_description: hostile,
  shop_currency: fc.constantFrom('RUR', 'RUB', 'USD', 'EUR', 'UAH', 'BYN', 'KZT'),
  delivery_price: fc.constantFrom('', '0', '300'),
  delivery_days: fc.constantFrom('', '1', '1-3'),
  feed_product_url: fc.constantFrom('/products/{slug}', '/p?id={id}&from="x', 'https://m.shop.example/{slug}'),
  categories: fc.array(hostile, { minLength: 1, maxLength: 4 }),
  products: fc.array(product, { maxLength: 4 }),
})
type Catalogue = typeof catalogue extends fc.Arbitrary<infer T> ? T : never

function write(format: FeedFormat, { categories: names, products, ...settings }: Catalogue): string {
  const categories: FeedShop['categories'] = new Map(
    names.map((name, index) => {
      const parentId = index === 0 ? null : index
      return [index + 1, { id: index + 1, parentId, name, path: names.slice(0, index + 1) }]
    }),
  )
  const rows = Object.entries(settings).map(([key, value]) => ({ key, value }))
  const shop = {
    siteUrl: 'https://shop.example',
    settings: withDefaults(rows),
    categories,
  }
  const offers = products.map(({ price, rebate, ...rest }, index) => {
    const [final_price, old_price] = [money(price), rebate === null ? null : money(price + rebate)]
    const offer = format.offer({ id: index + 1, category_id: names.length, final_price, old_price, ...rest }, shop)
    return 'text' in offer ? offer.text : ''
  })
  return format.opening(new Date(), 'Europe/Moscow') + format.shop(shop) + offers.join('') + format.closing
}

test.each(FEEDS)('whatever the data holds, a %s feed keeps the rules of its format', (_name, format, findFaults) => {
  fc.assert(
    fc.property(catalogue, (input) => {
      const feed = write(format, input)
      expect(findFaults(feed)).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('the rules find what is wrong with a feed', () => {
  const input: Catalogue = {
    site_name: 'S',
    shop_company: 'C',
    seo_site_description: '',
    shop_currency: 'RUB',
    delivery_price: '300',
    delivery_days: '1',
    feed_product_url: '/products/{slug}',
    categories: ['Tools'],
    products: [
      {
        external_id: 'A-1',
        name: 'Drill',
        slug: 'drill',
        description: null,
        price: 100,
        rebate: 50,
        available_quantity: 1,
        vendor: 'Bosch',
        attributes: [],
        images: [{ id: 1, content_type: 'image/jpeg' }],
      },
    ],
  }
  const changes = {
    yml: [
      ['<price>1.00</price>', ''],
      ['<oldprice>1.50<', '<oldprice>0.50<'],
      ['<currencyId>RUB<', '<currencyId>GBP<'],
      ['<categoryId>1<', '<categoryId>2<'],
      ['https://shop.example/api', '/api'],
      ['<store>false</store>', '<store/>'],
      ['<name>Drill</name>', `<name>${'x'.repeat(151)}</name>`],
      ['<vendor>Bosch</vendor>', '</offer><offer id="1" available="true">'],
      ['<count>1</count>', '<count>1</count><url>https://shop.example/</url>'],
      ['+03:00', ''],
      ['days="1"', 'days="two"'],
    ],
    google: [
      ['<title>Drill</title>', ''],
      ['<g:price>1.50 RUB<', '<g:price>1.50<'],
      ['<g:sale_price>1.00 RUB<', '<g:sale_price>2.00 RUB<'],
      ['in_stock', 'in stock'],
      ['<g:image_link>https:', '<g:image_link>'],
      ['<g:identifier_exists>yes<', '<g:identifier_exists>no<'],
      ['<g:condition>new<', '<g:condition>mint<'],
      ['xmlns:g', 'xmlns:h'],
    ],
  }
  const check = (format: FeedFormat, findFaults: (xml: string) => string[], pairs: string[][]) => {
    const feed = write(format, input)
    expect(findFaults(feed)).toEqual([])
    for (const [before = '', after = ''] of pairs) {
      expect(feed).toContain(before)
      expect([before, findFaults(feed.replace(before, after))]).not.toEqual([before, []])
    }
  }
  check(YML, findYmlFaults, changes.yml)
  check(GOOGLE_MERCHANT, findGoogleFaults, changes.google)
})

test('the article is an attribute of that name, else the supplier’s id', () => {
  const product = { external_id: 'S-1', attributes: [] as FeedProduct['attributes'] } as FeedProduct
  expect(articleOf(product)).toBe('S-1')
  product.attributes = [
    { name: 'Цвет', value: 'синий', source: 'EXTERNAL' },
    { name: ' артикул ', value: 'TK-510K', source: 'EXTERNAL' },
  ]
  expect(articleOf(product)).toBe('TK-510K')
  expect(articleOf({ ...product, attributes: [], external_id: null })).toBe('')
})
