import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { CLOSING, OPENING, sitemapEntry } from '../../../src/services/published/sitemap.ts'

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

test('lists every address as it is', () => {
  const slug = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(fc.array(slug, { maxLength: 40 }), (slugs) => {
      const entries = slugs.map((slug) => sitemapEntry(`${SITE}/products/${slug}`, { updated_at: new Date(0) }))
      const xml = OPENING + entries.join('') + CLOSING
      expect(locations(xml)).toEqual(slugs.map((slug) => `${SITE}/products/${slug}`))
    }),
  )
})
