import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { articleOf, type FeedFormat, type FeedProduct, type FeedShop } from '../../../src/rules/published/feeds.ts'
import { GOOGLE_MERCHANT } from '../../../src/rules/published/google-merchant.ts'
import { YML } from '../../../src/rules/published/yml.ts'
import { withDefaults } from '../../../src/rules/settings/keys.ts'
import { anyCharacter } from '../../support/characters.ts'

type FormatRules = {
  /** The element of one product. */
  item: string
  /** Its parts in the order of the format, with the greatest length of their texts. */
  parts: { [name: string]: number }
  required: string[]
  /** Parts that may be repeated, and how often. */
  repeated: { [name: string]: number }
}

const YML_RULES: FormatRules = {
  item: 'offer',
  parts: {
    url: 512,
    price: 13,
    oldprice: 13,
    currencyId: 3,
    categoryId: 10,
    picture: 512,
    store: 5,
    pickup: 5,
    delivery: 5,
    name: 120,
    vendor: 256,
    vendorCode: 100,
    description: 3000,
    count: 10,
    param: 500,
  },
  required: ['url', 'price', 'currencyId', 'categoryId', 'name'],
  repeated: { picture: 10, param: 100 },
}
const GOOGLE_RULES: FormatRules = {
  item: 'item',
  parts: {
    'g:id': 50,
    title: 150,
    description: 5000,
    link: 2000,
    'g:image_link': 2000,
    'g:additional_image_link': 2000,
    'g:availability': 12,
    'g:price': 17,
    'g:sale_price': 17,
    'g:brand': 70,
    'g:mpn': 70,
    'g:identifier_exists': 3,
    'g:product_type': 750,
    'g:condition': 11,
  },
  required: ['g:id', 'title', 'description', 'link', 'g:image_link', 'g:availability', 'g:price', 'g:condition'],
  repeated: { 'g:additional_image_link': 10 },
}

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
    fc.record({
      id: fc.nat(),
      sha256: fc.constant('b'.repeat(64)),
      content_type: fc.constantFrom('image/jpeg', 'image/avif', 'image/gif'),
    }),
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

type Element = { name: string; text: string }

/** The parts of each product. @throws Error if the XML isn't well-formed */
function readItems(xml: string, item: string): Element[][] {
  const items: Element[][] = []
  let isInside = false
  let text = ''
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name }) => {
    text = ''
    if (name !== item) return
    isInside = true
    items.push([])
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    if (name === item) isInside = false
    else if (isInside) items.at(-1)?.push({ name, text })
  })
  parser.write(xml).close()
  return items
}

test.each([
  ['YML', YML, YML_RULES],
  ['Google Merchant', GOOGLE_MERCHANT, GOOGLE_RULES],
])('whatever the data holds, a %s feed keeps the rules of its format', (_name, format, rules) => {
  const order = Object.keys(rules.parts)
  fc.assert(
    fc.property(catalogue, (input) => {
      const feed = write(format, input)
      expect(feed.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true)
      for (const parts of readItems(feed, rules.item)) {
        const names = parts.map(({ name }) => name)
        expect(names).toEqual(order.flatMap((name) => names.filter((other) => other === name)))
        expect(names).toEqual(expect.arrayContaining(rules.required))
        for (const name of order) {
          expect(names.filter((other) => other === name).length).toBeLessThanOrEqual(rules.repeated[name] ?? 1)
        }
        for (const { name, text } of parts) {
          expect(text).toMatch(/^\S+( \S+)*$/)
          expect(text.isWellFormed()).toBe(true)
          expect(text.length).toBeLessThanOrEqual(rules.parts[name] ?? 0)
          if (/url|picture|link/.test(name)) expect(text).toMatch(/^https?:\/\/[!-~]+$/)
        }
      }
    }),
    { numRuns: 60 },
  )
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
