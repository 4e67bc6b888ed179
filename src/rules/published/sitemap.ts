import { escapeUTF8 as escapeXml } from 'entities'

export const SITEMAP_OPENING =
  '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
export const SITEMAP_CLOSING = '</urlset>\n'

/** A page of the storefront. */
export function sitemapEntry(
  siteUrl: string,
  folder: 'products' | 'categories' | 'tags',
  { slug, updated_at }: { slug: string; updated_at: Date },
): string {
  const address = escapeXml(`${siteUrl}/${folder}/${slug}`)
  return `<url><loc>${address}</loc><lastmod>${updated_at.toISOString()}</lastmod></url>\n`
}

/** Administration, accounts, carts, orders, and the API's own pages. */
const DISALLOWED = [
  '/admin/',
  '/api/v1/admin/',
  '/api/v1/auth/',
  '/api/v1/cart/',
  '/api/v1/contacts',
  '/api/v1/orders',
  '/swagger-ui',
  '/v3/api-docs',
  '/health/',
  '/metrics',
]

/** robots.txt (RFC 9309). The public API stays open: crawlers that render pages read it. */
export function robotsText(siteUrl: string): string {
  const disallowed = DISALLOWED.map((path) => `Disallow: ${path}\n`).join('')
  return `User-agent: *\nAllow: /\n${disallowed}\nSitemap: ${siteUrl}/sitemap.xml\n`
}
