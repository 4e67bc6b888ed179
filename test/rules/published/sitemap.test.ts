import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { createSitemapParts, type SitemapLimits, sitemapFiles } from '../../../src/rules/published/sitemap.ts'

const SITE = 'https://shop.example/a&b'

/** The texts of all `loc`. @throws Error where it is not well-formed */
function locations(xml: string): string[] {
  const found: string[] = []
  let text = ''
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ uri }) => {
    expect(uri).toBe('http://www.sitemaps.org/schemas/sitemap/0.9')
    text = ''
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'loc') found.push(text)
  })
  parser.write(xml).close()
  return found
}

function build(addresses: string[], limits: SitemapLimits) {
  const parts = createSitemapParts(limits)
  for (const [at, address] of addresses.entries()) parts.add(address, new Date(at * 1000))
  const files = sitemapFiles(SITE, parts.all())
  return files.map(({ name, texts }) => ({ name, xml: texts.join('') }))
}

const slug = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
const limits = fc.record({
  addresses: fc.integer({ min: 1, max: 10 }),
  bytes: fc.integer({ min: 1, max: 3000 }),
  products: fc.constant(1),
})

test('lists every address once, in order, in full parts with an index', () => {
  fc.assert(
    fc.property(fc.array(slug, { maxLength: 40 }), limits, (slugs, most) => {
      const addresses = slugs.map((one) => `${SITE}/products/${one}`)
      const files = build(addresses, most)
      const [first, ...parts] = files
      if (parts.length === 0) {
        expect([first?.name, locations(first?.xml ?? '')]).toEqual(['sitemap.xml', addresses])
        return
      }
      expect(parts.map(({ name }) => name)).toEqual(parts.map((_, at) => `sitemap-${at + 1}.xml`))
      expect([first?.name, locations(first?.xml ?? '')]).toEqual([
        'sitemap.xml',
        parts.map(({ name }) => `${SITE}/${name}`),
      ])
      expect(parts.flatMap(({ xml }) => locations(xml))).toEqual(addresses)
      for (const [at, { xml }] of parts.entries()) {
        const listed = locations(xml).length
        const bytes = Buffer.byteLength(xml)
        expect(listed).toBeLessThanOrEqual(most.addresses)
        // One address is listed, however little fits.
        if (listed > 1) expect(bytes).toBeLessThanOrEqual(most.bytes)
        const next = parts[at + 1]?.xml
        const more = next === undefined ? 0 : Buffer.byteLength(/<url>.*?<\/url>\n/s.exec(next)?.[0] ?? '')
        if (next !== undefined) expect(listed === most.addresses || bytes + more > most.bytes).toBe(true)
      }
    }),
  )
})

test('dates a part by its newest entry in the index', () => {
  const [index] = build(['a', 'b', 'c'], { addresses: 2, bytes: 10_000, products: 1 })
  expect([...(index?.xml ?? '').matchAll(/<lastmod>(.*?)<\/lastmod>/g)].map(([, at]) => at)).toEqual([
    '1970-01-01T00:00:01.000Z',
    '1970-01-01T00:00:02.000Z',
  ])
})
