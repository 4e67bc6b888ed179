import { expect, test } from 'vitest'
import { findPageImages } from '../../../src/rules/scraping/page-images.ts'

const PAGE = 'https://shop.example/goods/teapot?from=list'
const find = (body: string, page = PAGE) => findPageImages({ html: body, url: page }).urls
const at = (...paths: string[]) => paths.map((path) => new URL(path, 'https://shop.example').href)

test.each([
  ['an object', '{"@type":"Product","image":"/a.jpg"}', ['/a.jpg']],
  ['a list of objects', '[{"@type":"WebSite","image":"/no.jpg"},{"@type":"Product","image":["/a.jpg"]}]', ['/a.jpg']],
  [
    'a graph',
    '{"@graph":[{"@type":"Organization","image":"/no.jpg"},{"@type":"Product","image":"/a.jpg"}]}',
    ['/a.jpg'],
  ],
  ['full type names', '{"@type":"http://schema.org/Product","image":"/a.jpg"}', ['/a.jpg']],
  ['several types', '{"@type":["Product","Thing"],"image":"/a.jpg"}', ['/a.jpg']],
  ['the page’s main entity', '{"@type":"ItemPage","mainEntity":{"@type":"Product","image":"/a.jpg"}}', ['/a.jpg']],
  [
    'strings beside ImageObjects',
    '{"@type":"Product","image":["/a.jpg",{"@type":"ImageObject","url":"/b.jpg"},{"contentUrl":"/c.jpg","url":"/c"}]}',
    ['/a.jpg', '/b.jpg', '/c.jpg'],
  ],
  [
    'an image that stands elsewhere in the graph',
    '{"@graph":[{"@type":"ImageObject","@id":"#p","url":"/a.jpg"},{"@type":"Product","image":{"@id":"#p"}}]}',
    ['/a.jpg'],
  ],
  [
    'variants of a group',
    '{"@type":"ProductGroup","image":"/a.jpg","hasVariant":[{"@type":"Product","image":"/b.jpg"}]}',
    ['/a.jpg', '/b.jpg'],
  ],
  [
    'the product of this page among others',
    '[{"@type":"Product","url":"/goods/cup","image":"/no.jpg"},{"@type":"Product","url":"/goods/teapot","image":"/a.jpg"}]',
    ['/a.jpg'],
  ],
  ['escaped ampersands', '{"@type":"Product","image":"/pic.php?id=1&amp;w=9"}', ['/pic.php?id=1&w=9']],
  ['raw line breaks in a text', '{"@type":"Product","description":"one\r\n\ttwo","image":"/a.jpg"}', ['/a.jpg']],
  [
    'comments, but none in texts',
    '/* a; */{"@type":"Product", // "b"\n"url":"https://shop.example/goods/teapot#/*","image":/**/"//shop.example/a.jpg"}//',
    ['/a.jpg'],
  ],
  ['a CDATA section', '//<![CDATA[\n{"@type":"Product","image":"/a.jpg"}\n//]]>', ['/a.jpg']],
  ['a CDATA section in comments', '/*<![CDATA[*/{"@type":"Product","image":"/a.jpg"}/*]]>*/', ['/a.jpg']],
  ['a bare CDATA section', '<![CDATA[{"@type":"Product","image":"/a.jpg"}]]>', ['/a.jpg']],
  ['an HTML comment', '<!--\n{"@type":"Product","name":"a -->","image":"/a.jpg"}\n-->', ['/a.jpg']],
  ['a semicolon at its end', '{"@type":"Product","name":"a;","image":"/a.jpg"} ;\n', ['/a.jpg']],
  [
    'a comma too many',
    '{"@type":"Product","name":"[1,]","image":["/a.jpg","/b.jpg", ] , // last\n}',
    ['/a.jpg', '/b.jpg'],
  ],
])('JSON-LD: %s', (_, json, paths) => {
  const html = `<script type="application/ld+json">${json}</script>`
  expect(findPageImages({ html, url: PAGE })).toEqual({ urls: at(...paths), fault: null })
})

test.each([
  ['{"@type":"Product","image":"/a.jpg"', /after property value .* position 35/],
  ['{"@type":"Product","name":"22" inch"}', /after property value .* position 31/],
  ['{"@type":"Product","name":"a', /Unterminated string/],
  ['', /end of JSON input/],
])('tells what is wrong with the JSON-LD %s', (json, reason) => {
  const scripts = [json, '{"@type":"Product","image":"/b.jpg"}', '[']
  const html = scripts.map((script) => `<script type="application/ld+json">${script}</script>`).join('')
  const { urls, fault } = findPageImages({ html, url: PAGE })
  expect(urls).toEqual(at('/b.jpg'))
  expect(fault).toMatch(reason)
})

test('ignores listed products, accessories and invalid JSON in JSON-LD', () => {
  const html = `
    <script type="application/ld+json">{"@type":"Product", image: oops}</script>
    <SCRIPT TYPE="application/ld+json; charset=utf-8">{"@type":"Product","image":"/a.jpg",
      "isRelatedTo":[{"@type":"Product","image":"/no.jpg"}]}</SCRIPT >
    <script type="application/ld+json">{"@type":"ItemList","itemListElement":[{"@type":"Product","image":"/no2.jpg"}]}
    </script><script>var x = '<img src="/no3.jpg">'</script>`
  expect(find(html)).toEqual(at('/a.jpg'))
})

test('reads og:image in any form, but not the logo', () => {
  const html = `<meta content="http://shop.example/a.jpg" property="og:image">
    <meta property="og:image:secure_url" content="https://shop.example/a.jpg">
    <meta property=og:image:width content=600>
    <meta name="og:image" content="//shop.example/b.jpg?x=1&amp;y=2">
    <meta property="og:image" content="/img/site-logo.png">
    <meta property="og:image" content="/files/brand-header.jpg">
    <header><a href="/"><img src="/files/brand-header.jpg" alt="Shop"></a></header>`
  expect(find(html)).toEqual(at('/a.jpg', '/b.jpg?x=1&y=2'))
})

test('OpenCart: linked originals, zoom attributes, related products below with the same paths', () => {
  const html = `<base href="https://shop.example/store/">
    <div id="logo"><a href="https://shop.example/store/"><img src="image/catalog/our.png" class="img-responsive"></a></div>
    <ul class="thumbnails">
      <li><a class="thumbnail" href="image/cache/catalog/t/one-800x800.jpg"><img src="image/cache/catalog/t/one-228x228.jpg"
        data-zoom-image="image/catalog/t/one.jpg"></a></li>
      <li class="image-additional"><a class="thumbnail" href="image/cache/catalog/t/two-800x800.jpg">
        <img src="image/cache/catalog/t/two-74x74.jpg" data-image="image/cache/catalog/t/two-500x500.jpg"></a></li>
    </ul>
    <h1>Teapot</h1>
    <div class="frame"><h3>Рекомендуемые товары</h3></div>
    <div class="row"><div class="product-thumb"><div class="image"><a href="/store/cup">
      <img src="image/cache/catalog/t/cup-228x228.jpg"></a></div></div>
      <div class="thumb"><img src="image/cache/catalog/t/spoon-228x228.jpg"></div></div>`
  expect(find(html)).toEqual(at('/store/image/catalog/t/one.jpg', '/store/image/cache/catalog/t/two-800x800.jpg'))
})

test('Bitrix: relative meta, resized copies, the maker’s logo, a carousel that repeats', () => {
  const html = `<base target="_blank">
    <div itemscope itemtype="https://schema.org/Product">
    <meta itemprop="image" content="/upload/iblock/0a1/front.jpg">
    <div class="detail-gallery"><img class="brand-logo" src="/upload/iblock/777/steel.png">
      <a href="/brands/steel/"><img src="/upload/iblock/778/steel2.png"></a>
      <a class="fancybox" href="/upload/iblock/0a1/front.jpg" data-large-picture="/upload/iblock/0a1/front.jpg">
        <img src="/upload/resize_cache/iblock/0a1/400_400_1/front.jpg" data-big-src="/upload/iblock/0a1/front.jpg"></a>
      <a class="fancybox" href="/upload/iblock/0b2/back.jpg"><img src="/upload/resize_cache/iblock/0b2/400_400_1/back.jpg"></a>
    </div>
    <ul class="carousel"><li><img src="/upload/resize_cache/iblock/0a1/50_50_2/front.jpg"></li>
      <li><img src="/upload/resize_cache/iblock/0b2/50_50_2/back.jpg"></ul></div>
    <div class="catalog-section related"><a href="/goods/cup/"><img src="/upload/iblock/0c3/cup.jpg"></a></div>`
  expect(find(html)).toEqual(at('/upload/iblock/0a1/front.jpg', '/upload/iblock/0b2/back.jpg'))
  const without = `<meta itemprop="image" content="/upload/no-photo.jpg"><div class="detail-gallery">
    <img src="/local/templates/x/images/no_photo.png"></div>`
  expect(find(without)).toEqual([])
})

test('WooCommerce: lazy images, srcset, the placeholder', () => {
  const html = `<body class="single-product has-sidebar"><div class="images woocommerce-product-gallery">
    <div data-thumb="/u/pot-100x100.jpg" class="woocommerce-product-gallery__image"><a href="/u/pot.jpg">
    <img src="data:image/gif;base64,R0lGOD" class="wp-post-image" data-src="/u/pot-600x600.jpg" data-caption="a/b.jpg"
      data-large_image="/u/pot.jpg" srcset="/u/pot-300x300.jpg 300w, /u/pot-1024x1024.jpg 1024w"></a></div>
    <div class="woocommerce-product-gallery__image"><img data-src="/u/lid-600x600.jpg"
      srcset="/u/lid-300x300.jpg 300w,
              /u/lid-1200x1200.jpg 1200w, /u/lid-600x600.jpg 600w"></div></div>
    <section class="related products"><li><a href="/goods/cup"><img src="/u/cup-300x300.jpg"></a></section>`
  expect(find(html)).toEqual(at('/u/pot.jpg', '/u/lid-1200x1200.jpg'))
  const empty = '<div class="woocommerce-product-gallery"><img src="/u/woocommerce-placeholder-600x600.png"></div>'
  expect(find(empty)).toEqual([])
})

test('Shopify: protocol-relative, everything again in noscript, srcset up to the master', () => {
  const html = `<meta property="og:image" content="http://shop.example/cdn/pot.jpg?v=5">
    <meta property="og:image:secure_url" content="https://shop.example/cdn/pot.jpg?v=5">
    <meta property="og:image" content="http://shop.example/cdn/shop-logo_1200x628.png?v=1">
    <div class="product__media"><img src="//" data-src="//shop.example/cdn/pot_180x.jpg?v=5"
      srcset="//shop.example/cdn/pot_180x.jpg?v=5 180w, //shop.example/cdn/pot_master.jpg?v=5 2000w">
      <noscript><img src="//shop.example/cdn/pot_1024x1024.jpg?v=5"></noscript></div>
    <div class="product__media"><noscript><img src="//shop.example/cdn/lid_600x.jpg?v=5&amp;width=600"></noscript></div>`
  expect(find(html)).toEqual(at('/cdn/pot_master.jpg?v=5', '/cdn/lid_600x.jpg?v=5&width=600'))
})

test('reads URLs from attributes of all kinds', () => {
  const html = `<div class="gallery">
    <img data-src="/i/2.jpg"><img src="/t/3.jpg" data-src-zoom-image="/i/3.jpg">
    <img src="/i/%5Ebox%5E.jpg"><img src="/i/чайник белый.jpg"><img src="?image=7&amp;view=full">
    <img src="/i/nine.jpg"><img src="/i/large_nine.jpg"><a href="#" data-zoom-image="/i/ten-big.jpg"><img src="/t/x10.jpg"></a>
    <picture><source type="image/webp" srcset="/i/11.webp 1x, /i/11@2x.webp 2x"><img src="/i/11.jpg"></picture>
    <img src="/i/front.jpg"><IMG SRC='/i/back.jpg' ALT="a > b"></div>`
  expect(find(html)).toEqual(
    at(
      '/i/2.jpg',
      '/i/3.jpg',
      '/i/%5Ebox%5E.jpg',
      '/i/%D1%87%D0%B0%D0%B9%D0%BD%D0%B8%D0%BA%20%D0%B1%D0%B5%D0%BB%D1%8B%D0%B9.jpg',
      '/goods/teapot?image=7&view=full',
      '/i/nine.jpg',
      '/i/ten-big.jpg',
      '/i/11@2x.webp',
      '/i/front.jpg',
      '/i/back.jpg',
    ),
  )
})

const OG = '<meta property="og:image" content="/pot.jpg">'
test.each([
  ['a page builder’s link from the picture to its copy', '<a href="/big.jpg"><img src="/small.jpg"></a>', ['/big.jpg']],
  ['microdata of the head', '<link itemprop="image" href="/a.jpg"><p><img src="/ad.jpg"></p>', ['/a.jpg']],
  ['no picture', '<div class="gallery"><img src="#"></div>', []],
  ['a zoom without a gallery', '<img src="/small.jpg" data-zoom-image="/big.jpg"><img src="/ad.jpg">', ['/big.jpg']],
  ['microdata', '<p><img itemprop="image" src="/a.jpg"></p><p><img src="/ad.jpg"></p>', ['/a.jpg']],
  [
    'a lightbox of background pictures',
    '<div class="gallery"><a href="/a.jpg"></a><a href="/b.jpg"></a></div>',
    ['/a.jpg', '/b.jpg'],
  ],
  [
    'slides with a lazy background',
    '<ul class="slider"><li data-bg-image="/a.jpg" data-thumb="/t.jpg"></li></ul>',
    ['/a.jpg'],
  ],
  ['a link to this page', '<div class="gallery"><a href="/goods/teapot"><img src="/a.jpg"></a></div>', ['/a.jpg']],
  [
    'a picture on another host',
    '<div class="gallery"><a href="https://cdn.example/1"><img src="/a.jpg"></a></div>',
    ['/a.jpg'],
  ],
  [
    'texts and numbers in data attributes',
    '<div class="gallery"><img src="/a.jpg" data-image-title="A/B" data-image-id="/5" data-photo="7"></div>',
    ['/a.jpg'],
  ],
  [
    'a list in a data attribute',
    `<div class="gallery"><img src="/a.jpg" data-images='["/t/1.jpg"]'></div>`,
    ['/a.jpg'],
  ],
  [
    'Amazon’s sizes',
    `<img class="photo" src="/s.jpg" data-a-dynamic-image='{"/i/s.jpg":[300,300],"/i/l.jpg":[900,900],"/i/m.jpg":[600,600],"":1}'>`,
    ['/i/l.jpg'],
  ],
  [
    'WooCommerce’s variations behind its gallery',
    `<form data-product_variations="[{&quot;image&quot;:{&quot;full_src&quot;:&quot;\\/red.jpg&quot;,&quot;url&quot;:&quot;/r.jpg&quot;}},
      {&quot;image&quot;:{&quot;url&quot;:&quot;/a.jpg&quot;}},{&quot;image&quot;:null},7]"></form>
      <div class="gallery"><a href="/a.jpg"><img src="/a-100x100.jpg"></a></div>`,
    ['/a.jpg', '/red.jpg'],
  ],
  ['the placeholder of a lazy image', '<div class="gallery"><img src="#" data-src="/a.jpg"></div>', ['/a.jpg']],
  ['Bootstrap’s classes', `${OG}<img class="img-responsive" src="/ad.jpg">`, ['/pot.jpg']],
  [
    'classes of the whole page',
    `<body class="wp-image-support">${OG}<main><p><img src="/a.jpg"></p></main>`,
    ['/pot.jpg'],
  ],
  [
    'a description with pictures beside JSON-LD',
    '<script type="application/ld+json">{"@type":"Product","image":"/a.jpg"}</script><main><img src="/ad.jpg"></main>',
    ['/a.jpg'],
  ],
  ['a page without a main part beside og:image', `${OG}<p><img src="/ad.jpg"></p>`, ['/pot.jpg']],
  [
    'the frame of a page',
    '<header><a href="/1.jpg"><img src="/1.jpg"></a></header><a href="/a.jpg"><img src="/a.jpg"></a><footer><a href="/2.jpg"><img src="/2.jpg"></a></footer>',
    ['/a.jpg'],
  ],
  [
    'reviews and bestsellers',
    '<div class="gallery"><img src="/a.jpg"><p class="reviews"><img src="/1.jpg"></p><p class="bestsellers"><img src="/2.jpg"></p></div>',
    ['/a.jpg'],
  ],
  [
    'a small thumbnail that leads to a large copy',
    '<a href="/a.jpg"><img src="/t.jpg" width="30" height="30"></a>',
    ['/a.jpg'],
  ],
  [
    'the logo named so elsewhere',
    `${OG}<div class="logo"><img src="/pot.jpg"></div><div class="gallery"><img src="/a.jpg"></div>`,
    ['/a.jpg'],
  ],
  [
    'icons',
    '<div class="gallery"><img src="/a.jpg"><img src="/icon-truck.png"><img src="/truck-icon.png"></div>',
    ['/a.jpg'],
  ],
  [
    'sizes and looks in the query',
    '<div class="gallery"><img src="/a?id=1&w=90&q=80"><img src="/a?id=1&w=900"><img src="/a?id=2&w=90"></div>',
    ['/a?id=1&w=900', '/a?id=2&w=90'],
  ],
  [
    'a picture by script',
    '<div class="gallery"><a href="/pic.php?file=a.jpg"><img src="/t.jpg"></a></div>',
    ['/pic.php?file=a.jpg'],
  ],
  [
    'attributes for the thumbnail and the zoom',
    '<div class="gallery"><img data-thumb-src="/t.jpg" data-src="/m.jpg" data-src-large="/a.jpg"></div>',
    ['/a.jpg'],
  ],
])('reads %s', (_, html, paths) => {
  expect(find(html)).toEqual(at(...paths))
})

test('returns http(s) URLs without credentials and fragments, never the page itself', () => {
  const html = `<div class="gallery"><img src="ftp://shop.example/a.jpg"><img src="javascript:alert(1)"><img src="">
    <img src="https://bob:secret@shop.example/a.jpg#x"><img src="http://[::1"><img src="data:image/png;base64,AAAA">
    <img src="  /b.jpg
    "><img src="/${'x'.repeat(3000)}.jpg"></div>`
  expect(find(html)).toEqual(at('/a.jpg', '/b.jpg'))
})

test.each(['<base href="">', '<base>', '<base href="javascript:1">', '<BASE HREF="/goods/">', '<base href=./>'])(
  'ignores %s',
  (base) => {
    expect(find(`${base}<div class=gallery><img src=a.jpg></div>`)).toEqual(at('/goods/a.jpg'))
  },
)

test('uses the order of a complete gallery, or else puts described images first', () => {
  const gallery = '<div class="gallery"><img src="/1.jpg"><img src="/2.jpg"></div>'
  const og = (path: string) => `<meta property="og:image" content="${path}">`
  expect(find(og('/2.jpg') + gallery)).toEqual(at('/1.jpg', '/2.jpg'))
  expect(find(og('/main.jpg') + gallery)).toEqual(at('/main.jpg', '/1.jpg', '/2.jpg'))
})
