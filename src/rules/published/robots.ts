/** What search engines have no business with: administration, accounts, carts and orders, and the API's own pages. */
const CLOSED = [
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

/** robots.txt (RFC 9309). The rest stays open: what a page shows it reads through the API. */
export function robotsText(siteUrl: string): string {
  const closed = CLOSED.map((path) => `Disallow: ${path}\n`).join('')
  return `User-agent: *\nAllow: /\n${closed}\nSitemap: ${siteUrl}/sitemap.xml\n`
}
