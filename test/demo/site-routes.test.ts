import got from 'got'
import { SaxesParser } from 'saxes'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generateCatalogue } from '../../demo/generate.ts'
import { pictureUrls } from '../../demo/product-page.ts'
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

const page = (id: string) => got(`${supplier.siteUrl}/p/${encodeURIComponent(id)}`).text()

test('renders a page with the product, its pictures and related products', async () => {
  const text = await page(nasty.id)
  expect(text).toContain('<h1>Дрель &lt;script&gt;alert(1)')
  expect(text).not.toContain('<script>')
  expect(text).toContain('<p>ок</p>&lt;script&gt;')
  const product = supplier.catalogue.products.get(nasty.id)
  const pictures = product === undefined ? [] : pictureUrls(product, supplier.siteUrl)
  const originals = [...text.matchAll(/<a href="(.+?)"><img src="(.+?)" alt="Дрель/g)]
  expect(originals.map(([, path]) => supplier.siteUrl + path)).toEqual(pictures)
  const files = await Promise.all(pictures.map((url) => got(url).buffer()))
  expect(new Set(files.map((file) => Buffer.from(file).toString('base64'))).size).toBe(3)
  expect([...text.matchAll(/<li><a href="\/p\//g)]).toHaveLength(3)
  expect(text).toContain('logo.png')
})

test('renders a page without pictures', async () => {
  expect(await page('bare')).toMatch(/<div class="gallery">\s*<\/div>/)
})

test('serves PNG files, and smaller thumbnails', async () => {
  for (const [path, width, height] of [
    ['/img/products/0123abcd-1.png', 600, 600],
    ['/img/thumbnails/0123abcd-1.png', 228, 228],
    ['/img/logo.png', 160, 48],
  ] as const) {
    const answer = await got(supplier.siteUrl + path, { responseType: 'buffer' })
    expect(answer.headers['content-type']).toBe('image/png')
    expect(await sharp(answer.body).metadata()).toMatchObject({ format: 'png', width, height })
  }
})

test('responds 404 to unknown pictures and pages', async () => {
  for (const path of ['/img/nothing.png', '/upload/../../etc/passwd', '/p/nobody']) {
    expect((await got(supplier.siteUrl + path, { throwHttpErrors: false })).statusCode).toBe(404)
  }
})

test('serves robots.txt', async () => {
  expect(await got(`${supplier.siteUrl}/robots.txt`).text()).toContain('Disallow: /cart')
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
