import { escapeUTF8 as escapeXml } from 'entities'

/** `addresses` and `bytes` limit one file (sitemaps.org), `products` all files (specification, "Limits"). */
export type SitemapLimits = { addresses: number; bytes: number; products: number }
export const SITEMAP_LIMITS: SitemapLimits = {
  addresses: 50_000,
  bytes: 50 * 1024 * 1024,
  products: 45_000,
}

/** The only file, or the index of the parts. */
export const SITEMAP_FILE = 'sitemap.xml'

/** @param number from 1, without leading zeros */
export function sitemapPart(number: number | string): string {
  return `sitemap-${number}.xml`
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const OPENING = `${DECLARATION}<urlset ${NAMESPACE}>\n`
const CLOSING = '</urlset>\n'

/** Characters per piece: each is compressed at once without delaying requests. */
const PIECE_LENGTH = 65_536

/** `changedAt`: the latest of its entries. */
export type SitemapPart = { texts: string[]; addresses: number; bytes: number; changedAt: Date }

/** Collects addresses in as few parts as the limits allow, at least one. */
export function createSitemapParts(limits: SitemapLimits) {
  let part = newPart()
  const parts = [part]
  return {
    add(address: string, changedAt: Date): void {
      const text = `<url>${location(address, changedAt)}</url>\n`
      const bytes = Buffer.byteLength(text)
      const full = part.addresses >= limits.addresses || part.bytes + bytes > limits.bytes
      if (full && part.addresses > 0) {
        part = newPart()
        parts.push(part)
      }
      const last = part.texts.pop() ?? ''
      if (last.length < PIECE_LENGTH) part.texts.push(last + text)
      else part.texts.push(last, text)
      part.addresses += 1
      part.bytes += bytes
      if (changedAt > part.changedAt) part.changedAt = changedAt
    },
    all: (): SitemapPart[] => parts,
  }
}

function newPart(): SitemapPart {
  return { texts: [], addresses: 0, bytes: Buffer.byteLength(OPENING + CLOSING), changedAt: new Date(0) }
}

/** The files of a sitemap in pieces of text: its only part, or an index and the parts. */
export function sitemapFiles(siteUrl: string, parts: SitemapPart[]): { name: string; texts: string[] }[] {
  const names = parts.map((_, at) => (parts.length === 1 ? SITEMAP_FILE : sitemapPart(at + 1)))
  const files = parts.map(({ texts }, at) => ({ name: names[at] ?? '', texts: [OPENING, ...texts, CLOSING] }))
  if (parts.length === 1) return files
  const listed = parts.map(({ changedAt }, at) => location(`${siteUrl}/${names[at]}`, changedAt))
  const index = listed.map((text) => `<sitemap>${text}</sitemap>\n`).join('')
  const text = `${DECLARATION}<sitemapindex ${NAMESPACE}>\n${index}</sitemapindex>\n`
  return [{ name: SITEMAP_FILE, texts: [text] }, ...files]
}

function location(address: string, changedAt: Date): string {
  return `<loc>${escapeXml(address)}</loc><lastmod>${changedAt.toISOString()}</lastmod>`
}
