/** Pages that are addressed by a slug. */
export type StorefrontPage = 'products' | 'categories' | 'tags'

export function storefrontUrl(siteUrl: string, page: StorefrontPage, slug: string): string {
  return `${siteUrl}/${page}/${slug}`
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
