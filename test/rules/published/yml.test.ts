import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { type FeedProduct, type FeedShop, line, shrinkage, textOfHtml } from '../../../src/rules/published/feeds.ts'
import { YML } from '../../../src/rules/published/yml.ts'
import { withDefaults } from '../../../src/rules/settings/keys.ts'

const tools = { id: 1, parentId: null, name: 'Tools', path: ['Tools'] }

function shopWith(
  values: { [key: string]: string } = {},
  categories: FeedShop['categories'] = new Map([[1, tools]]),
): FeedShop {
  const rows = Object.entries(values).map(([key, value]) => ({ key, value }))
  return { siteUrl: 'https://shop.example', settings: withDefaults(rows), categories }
}

const ymlShop = (...input: Parameters<typeof shopWith>) => YML.shop(shopWith(...input))

function ymlOffer(fields: Partial<FeedProduct> = {}, settings: { [key: string]: string } = {}): string {
  const offer = YML.offer(product(fields), shopWith(settings))
  return 'text' in offer ? offer.text : `excluded: ${offer.excluded}`
}

function product(fields: Partial<FeedProduct> = {}): FeedProduct {
  return {
    id: 7,
    external_id: null,
    name: 'Drill',
    slug: 'drill',
    description: null,
    final_price: '12.50',
    old_price: null,
    available_quantity: 3,
    category_id: 1,
    vendor: null,
    images: [],
    attributes: [],
    ...fields,
  }
}

/** The elements of one offer as a reader of the feed sees them. */
function read(offer: string): { [name: string]: string[] } {
  const found: { [name: string]: string[] } = {}
  let text = ''
  const parser = new SaxesParser({ xmlns: false })
  parser.on('opentag', ({ name, attributes }) => {
    text = name === 'param' ? `${attributes.name}=` : ''
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('cdata', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    found[name] = [...(found[name] ?? []), text]
    text = ''
  })
  parser.write(offer).close()
  return found
}

test('writes all elements of an offer in the order of the format', () => {
  const offer = ymlOffer({
    old_price: '15.00',
    vendor: 'Вектор',
    description: '<p>Strong&nbsp;&amp; quiet</p>',
    external_id: 'AB-1',
    images: [
      { id: 3, sha256: 'c'.repeat(64), content_type: 'image/jpeg' },
      { id: 1, sha256: 'a'.repeat(64), content_type: 'image/avif' },
    ],
    attributes: [
      { name: 'Цвет', value: 'синий', source: 'EXTERNAL' },
      { name: 'Цвет', value: 'красный', source: 'MANUAL' },
      { name: '  ', value: 'no name', source: 'EXTERNAL' },
      { name: 'no value', value: '\u0001 ', source: 'EXTERNAL' },
    ],
  })
  expect(offer).toBe(
    '<offer id="7" available="true"><url>https://shop.example/products/drill</url><price>12.50</price>' +
      '<oldprice>15.00</oldprice><currencyId>RUB</currencyId><categoryId>1</categoryId>' +
      '<picture>https://shop.example/api/v1/images/3?v=cccccccccccc</picture><picture>https://shop.example/api/v1/images/1?v=aaaaaaaaaaaa&amp;format=webp</picture>' +
      '<store>false</store><pickup>false</pickup><delivery>true</delivery><name>Drill</name><vendor>Вектор</vendor>' +
      '<vendorCode>AB-1</vendorCode><description>Strong &amp; quiet</description><count>3</count><param name="Цвет">красный</param></offer>\n',
  )
})

test('writes no empty elements', () => {
  const offer = ymlOffer({ description: '<br/> ', vendor: '\u0002' })
  expect(Object.keys(read(offer))).toEqual(
    'url price currencyId categoryId store pickup delivery name count offer'.split(' '),
  )
})

test('writes at most ten pictures and a hundred parameters', () => {
  const many = Array.from({ length: 150 }, (_, id) => ({
    id,
    name: `n${id}`,
    sha256: `${id}`.padEnd(64, '0'),
    content_type: 'image/png',
    value: 'v',
    source: 'EXTERNAL' as const,
  }))
  const found = read(ymlOffer({ images: many, attributes: many }))
  expect([found.picture?.length, found.param?.length]).toEqual([10, 100])
})

test.each(['', ' \t\n ', '\u0000\u0008\uFFFE\uD800', '\u00A0'])(
  'excludes an offer whose name is empty after cleaning (%j)',
  (name) => {
    expect(ymlOffer({ name })).toBe('excluded: NO_NAME')
  },
)

test('markup in a name is text, and stays what it was', () => {
  const name = `<b>Nuts & "bolts"</b> ]]> &amp;amp; 'x'`
  expect(read(ymlOffer({ name })).name).toEqual([name])
})

test('truncates long texts at a word, never within a surrogate pair', () => {
  expect(line('one two three', 9)).toBe('one two')
  expect(line('one two three', 7)).toBe('one two')
  expect(line('one two three', 13)).toBe('one two three')
  expect(line('x'.repeat(10_000), 256)).toHaveLength(256)
  expect(line(`${'x'.repeat(255)}😀 tail`, 256)).toBe('x'.repeat(255))
  expect(line(`${'x'.repeat(254)}😀 tail`, 256)).toBe(`${'x'.repeat(254)}😀`)
  expect(line(`a ${'y'.repeat(300)}`, 256)).toHaveLength(256)
  expect(line(`${' '.repeat(5000)}late`, 256)).toBe('late')
})

test('drops characters that XML forbids, and treats tabs and line ends as white space', () => {
  expect(line('a\u0000b\u000Bc\uFFFFd\uDC00e\tf\r\ng', 100)).toBe('abcde f g')
})

test('HTML becomes the text that a reader sees', () => {
  expect(line(textOfHtml('<P>one</P><p class="a">two<br/>three</p>'), 100)).toBe('one two three')
  expect(textOfHtml('H<sub>2</sub>O, <b>bold</b>, p<A href="https://x.example">ar</A>t')).toBe('H2O, bold, part')
  expect(textOfHtml('5 < 6 & 7 > 2, 1<2')).toBe('5 < 6 & 7 > 2, 1<2')
  expect(textOfHtml('a<b and c')).toBe('a<b and c')
  expect(textOfHtml('&lt;p&gt; &amp;lt; &#1071;&#x42F; &unknown; &laquo;&asymp;&#150;&#9999999;')).toBe(
    '<p> &lt; ЯЯ &unknown; «≈–\uFFFD',
  )
  expect(line(textOfHtml('a&nbsp;b&nbsp; c?a=1&copy=2&section=3'), 100)).toBe('a b c?a=1&copy=2&section=3')
})

test.each([
  ...['<', '<p', '<!--', '<script>', '</', '&', '&#', '&am', '<a ', '<a <a <a', '<script></script'],
  ...['<b>', '<div>', '<b></i>', '</p>', '<![CDATA['],
])('handles 30 000 characters of %j in linear time', (piece) => {
  const before = process.threadCpuUsage()
  textOfHtml(piece.repeat(Math.floor(30_000 / piece.length)))
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(200)
})

test('accepts deeply nested tags', () => {
  const [open, close] = ['<div>', '</div>'].map((tag) => tag.repeat(10_000))
  expect(line(textOfHtml(`${open}a${close}b`), 10_000)).toBe('a b')
})

test('formats the date in the shop’s zone with its offset', () => {
  const date = new Date('2026-11-01T07:00:05.900Z')
  expect(YML.opening(date, 'Europe/Moscow')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<yml_catalog date="2026-11-01T10:00:05+03:00">\n',
  )
  expect(YML.opening(date, 'UTC')).toContain('date="2026-11-01T07:00:05+00:00"')
})

test('falls back to default names and writes delivery only with a price', () => {
  const plain = ymlShop({ site_name: ' ', shop_company: '' }, new Map())
  expect(plain).toContain('<name>shop.example</name>\n<company>shop.example</company>\n<url>https://shop.example</url>')
  expect(plain).toContain('<currency id="RUB" rate="1"/>')
  expect(plain).not.toContain('delivery')
  const delivery = { delivery_price: '0', delivery_days: '1-3' }
  expect(ymlShop({ ...delivery, feed_delivery: 'false' })).not.toContain('delivery')
  const full = ymlShop(
    { site_name: 'A & B', shop_company: 'A "B"', ...delivery },
    new Map([
      [4, { id: 4, parentId: null, name: '<Tools>', path: [] }],
      [5, { id: 5, parentId: 4, name: '\u0001', path: [] }],
    ]),
  )
  expect(full).toContain('<name>A &amp; B</name>\n<company>A &quot;B&quot;</company>')
  expect(full).toContain('<delivery-options><option cost="0" days="1-3"/></delivery-options>')
  expect(full).toContain('<category id="4">&lt;Tools&gt;</category>\n<category id="5" parentId="4">5</category>')
})

test('rejects a feed with too few of the published offers', () => {
  expect(shrinkage(5, 10, 50)).toBeNull()
  expect(shrinkage(4, 10, 50)).toMatch(/4 offers are fewer than 50 % of the 10/)
  expect(shrinkage(0, null, 50)).toBeNull()
  expect(shrinkage(0, 10, 0)).toBeNull()
  expect(shrinkage(0, 0, 50)).toBeNull()
})
