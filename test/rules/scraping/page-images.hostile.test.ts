import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPageImages } from '../../../src/rules/scraping/page-images.ts'

const find = (body: string) => findPageImages({ html: body, url: 'https://shop.example/goods/teapot' }).urls
const at = (...paths: string[]) => paths.map((path) => new URL(path, 'https://shop.example').href)

test('reads on after unclosed and unopened tags', () => {
  const html = `<div class="related"><span><b></div></div></section><div class=gallery><a href="/1.jpg"><img src="/s/1.jpg">
    <a href="/2.jpg"><img src="/s/2.jpg"></a><p>5 < 6 <!-- <img src="/no.jpg"> --> <img src="/3.jpg" / ></div>
    <!--> <div class=gallery><img src=/4.jpg></div><!-- <img src="/no.jpg">`
  expect(find(html)).toEqual(at('/1.jpg', '/2.jpg', '/3.jpg', '/4.jpg'))
  expect(find('<body><img src="/no.jpg"><div class="gallery"><img src="/1.jpg">')).toEqual(at('/1.jpg'))
})

test('reads conditional comments, but no others', () => {
  const html = `<!--[if gt IE 8]><!--><div class="gallery"><img src="/1.jpg"><!--<![endif]-->
    <!--[if IE]><img src="/no.jpg"><![endif]--><!----><img src="/2.jpg"><!---><img src="/3.jpg">
    <svg><![CDATA[<text>]]></svg><img src="/4.jpg"></div>`
  expect(find(html)).toEqual(at('/1.jpg', '/2.jpg', '/3.jpg', '/4.jpg'))
})

test('reads tags and attributes named like object members', () => {
  const html = `<constructor><name></name></constructor><div class="gallery" toString><img constructor src="/1.jpg">
    <img __proto__="x" hasOwnProperty=y src="/2.jpg"></div>`
  expect(find(html)).toEqual(at('/1.jpg', '/2.jpg'))
})

test.each([
  ['Pixel 9, a telephone', '/u/google-pixel-9.jpg', 1],
  ['a mug with a logo', '/u/kruzhka-s-nashim-logo-krasnaya.jpg', 1],
  ['a maker’s logo', '/u/steel-logo.png', 0],
  ['a place holder', '/u/product-placeholder-image.jpg', 0],
  ['an icon', '/img/icons/truck.png', 0],
])('%s', (_, src, count) => {
  expect(find(`<div class="gallery"><img src="${src}"></div>`)).toHaveLength(count)
})

test('returns at most fifty images', () => {
  const images = Array.from({ length: 80 }, (_, index) => `<img src="/${index}.jpg">`)
  expect(find(`<div class="gallery">${images.join('')}</div>`)).toHaveLength(50)
})

test('returns distinct http(s) URLs for any page', () => {
  const words = fc.constantFrom(
    ...[
      '<div class="gallery">',
      '<div class="related">',
      '</div>',
      '<a href="',
      '<img src="',
      '<img data-src=',
      ' srcset="',
      '">',
      "'",
      '>',
    ],
    ...[
      '</a>',
      '<picture>',
      '<source srcset="x 1w, y 2w">',
      '</picture>',
      '<h2>',
      'Похожие',
      '</h2>',
      '<base href="',
      '<noscript>',
      '<!--',
      '-->',
    ],
    ...[
      '<script type="application/ld+json">',
      '</script>',
      '{"@type":"Product","image":',
      '[null,{"url":[]}]',
      '}',
      '"a.jpg"',
      '{"@id":"#"}',
    ],
    ...['<meta property="og:image" content="', 'a.jpg', '%', '//'],
    ...[
      '<form data-product_variations=\'[null,1,{"image":3},{"image":{"url":7}}]\'>',
      "<img data-a-dynamic-image='[1]'>",
    ],
    ...[
      'http://[',
      'https://other.example/b.png',
      '?id=1&amp;w=2',
      '-150x150',
      '\\',
      '\0',
      '\ud800',
      '/resize_cache/1_2_3/x.jpg',
      ' ',
    ],
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), (parts) => {
      const urls = find(parts.join(''))
      for (const url of urls) expect(['http:', 'https:']).toContain(new URL(url).protocol)
      expect(new Set(urls).size).toBe(urls.length)
      expect(urls.every((url) => url.isWellFormed() && !url.includes('\0'))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

const BYTES = 1_000_000
const filled = (text: string) => text.repeat(Math.ceil(BYTES / text.length)).slice(0, BYTES)
test.each([
  filled('<'),
  filled('<a '),
  filled('<a b="'),
  filled('<script>'),
  `<img srcset="${filled(',x ')}">`,
  ...['[', '"\\', '"', '/*', '//', ', ', '<!--', '\\"', ',\n'].map(
    (text) => `<script type="application/ld+json">${filled(text)}</script>`,
  ),
  filled(`<img src="/${'-1x1'.repeat(400)}.jpg">`),
  Array.from({ length: 100_000 }, (_, n) => `<img class="photo" src="/product/${n}.jpg">`).join(''),
  `<picture>${'<img src="/a.jpg"><source src="/b.jpg">'.repeat(6000)}`,
  '<div class="logo">'.repeat(12_000),
  filled('<!--'),
])('reads a malicious page in time (%#)', (html) => {
  const before = process.threadCpuUsage()
  find(html)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1000).toBeLessThan(4000)
})

test('reads no deeper than browsers do', () => {
  const nested = (depth: number) => find(`${'<div>'.repeat(depth)}<img class="product" src="/product/1.jpg">`)
  expect(nested(500)).toHaveLength(1)
  expect(nested(10_000)).toEqual([])
})

test('finds an image behind any number of other elements of its gallery', () => {
  expect(find(`<div class="product-media">${'<p>text</p>'.repeat(1500)}<img src="/a.jpg"></div>`)).toEqual(at('/a.jpg'))
})
