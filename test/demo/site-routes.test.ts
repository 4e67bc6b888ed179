import { inflateSync } from 'node:zlib'
import got from 'got'
import { SaxesParser } from 'saxes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { PAGE_SHAPES, type PageShape } from '../../demo/picture-paths.ts'
import { productPictures } from '../../demo/product-page.ts'
import { type DemoSupplier, startDemoSupplier } from '../../demo/supplier.ts'

let supplier: DemoSupplier

const nasty = {
  id: 'a/b:ё 1',
  name: 'Дрель <script>alert(1)</script> & "Ко"',
  imageCount: 3,
  price: 1234.5,
  stock: 1,
}

beforeAll(async () => {
  const catalogue = generateCatalogue({ products: 500 })
  catalogue.upsertProduct({ ...nasty, description: '<p>ок</p><script>1</script>]]>\u0001', brandId: 'B101' })
  catalogue.upsertProduct({ id: 'bare', imageCount: 0 })
  supplier = await startDemoSupplier({ catalogue, token: 'test-token' })
})
afterAll(() => supplier.close())

async function page(id: string, shape: PageShape): Promise<string> {
  return await got(`${supplier.siteUrl}/p/${encodeURIComponent(id)}?shape=${shape}`).text()
}

test.each(PAGE_SHAPES)('renders a %s page with the product, its pictures and the traps', async (shape) => {
  const text = await page(nasty.id, shape)
  const product = supplier.catalogue.products.get(nasty.id)
  const pictures = product === undefined ? [] : productPictures(product, supplier.siteUrl, shape)
  expect(text).toContain('&lt;script&gt;alert(1)')
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('<p>ок</p>&lt;script&gt;')
  expect(pictures).toHaveLength(3)
  for (const picture of pictures) {
    expect(decodeURI(text)).toContain(decodeURI(new URL(picture).pathname.slice(1)))
  }
  expect(text).toContain('logo.png')
})

test.each(PAGE_SHAPES)('renders a %s page without pictures with a placeholder only', async (shape) => {
  const text = await page('bare', shape)
  expect(text).toMatch(/no_image|no-photo|woocommerce-placeholder|no-image|placeholder/)
})

test('renders what makes each shape hard to scrape', async () => {
  const texts = await Promise.all(PAGE_SHAPES.map((shape) => page(nasty.id, shape)))
  const [opencart = '', bitrix = '', woocommerce = '', shopify = '', graph = ''] = texts
  expect(opencart).toContain(`<base href="${supplier.siteUrl}/">`)
  expect(opencart).toMatch(/<a class="thumbnail" href="img\/catalog\//)
  expect(bitrix).toMatch(/itemprop="image" content="\/upload\/iblock/)
  expect(bitrix).toContain('/upload/resize_cache/')
  expect(woocommerce).toContain('data-product_variations="[{&quot;')
  expect(shopify).toMatch(/<noscript><img src="\/\//)
  expect(shopify.match(/property="og:image"/g)).toHaveLength(4)
  expect(graph).toContain('"@graph":[')
})

test('renders valid JSON-LD with the pictures', async () => {
  for (const shape of ['shopify', 'graph'] as const) {
    const [, json = ''] =
      /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await page(nasty.id, shape)) ?? []
    expect(JSON.stringify(JSON.parse(json))).toContain('.png')
  }
})

test('gives products different shapes, and pictureUrls lists their pictures', async () => {
  const texts = await Promise.all(
    Array.from({ length: 30 }, (_, index) => got(`${supplier.siteUrl}/p/T${100_001 + index}`).text()),
  )
  expect(texts.filter((text) => text.includes('@graph')).length).toBeGreaterThan(0)
  expect(texts.filter((text) => text.includes('resize_cache')).length).toBeGreaterThan(0)
  const urls = supplier.pictureUrls(nasty.id)
  expect(urls).toHaveLength(3)
  const files = await Promise.all(urls.map((url) => got(url).buffer()))
  expect(new Set(files.map((file) => Buffer.from(file).toString('base64'))).size).toBe(3)
  expect(supplier.pictureUrls('nobody')).toEqual([])
})

test('serves PNG files, and smaller thumbnails', async () => {
  for (const path of ['/img/catalog/tovar-0123abcd-1.png', '/img/cache/catalog/tovar-0123abcd-1-228x228.png']) {
    const answer = await got(supplier.siteUrl + path, { responseType: 'buffer' })
    const width = path.includes('cache') ? 228 : 600
    const file = Buffer.from(answer.body)
    expect(answer.headers['content-type']).toBe('image/png')
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([width, width])
    const start = file.indexOf('IDAT') + 4
    const length = file.readUInt32BE(start - 8)
    expect(inflateSync(file.subarray(start, start + length))).toHaveLength((width + 1) * width)
  }
})

test('responds 404 to unknown pictures and pages', async () => {
  for (const path of ['/img/nothing.png', '/upload/../../etc/passwd', '/p/nobody']) {
    expect((await got(supplier.siteUrl + path, { throwHttpErrors: false })).statusCode).toBe(404)
  }
})

test('replaces and removes robots.txt', async () => {
  const robots = () => got(`${supplier.siteUrl}/robots.txt`, { throwHttpErrors: false })
  expect((await robots()).body).toContain('Disallow: /cart')
  supplier.storefront.robots = 'User-agent: *\nDisallow: /p/\n'
  expect((await robots()).body).toContain('Disallow: /p/')
  supplier.storefront.robots = null
  expect((await robots()).statusCode).toBe(404)
})

test('renders a well-formed feed with every active product', async () => {
  const offers: string[] = []
  const names: string[] = []
  let depth = ''
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    depth = tag.name
    if (tag.name === 'offer') offers.push(String(tag.attributes.id))
  })
  parser.on('text', (text) => {
    if (depth === 'name' && text.trim() !== '') names.push(text)
  })
  const xml = await got(supplier.feedUrl).text()
  parser.write(xml).close()
  expect(xml.startsWith('<?xml version="1.0" encoding="UTF-8"?>')).toBe(true)
  expect(xml).toMatch(/<yml_catalog date="\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00">/)
  expect(offers).toEqual([...supplier.catalogue.products].filter(({ active }) => active).map(({ id }) => id))
  expect(names).toContain(nasty.name)
})
