import { escapeUTF8 as escapeXml } from 'entities'
import { listSitemapProducts, listSitemapTags, type SitemapRow } from '../../../db/queries/published/contents.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../errors.ts'
import { inOrder } from '../../rules/catalogue/category-tree.ts'
import { canonicalAddress } from '../../rules/published/pages.ts'
import { readTree } from '../catalogue/categories.ts'
import { freshSettings, settingValues } from '../settings/settings.ts'
import type { Publication } from './build.ts'

/** Products read at a time, without delaying requests noticeably. */
const PAGE_SIZE = 500
/** `addresses`: of the protocol (sitemaps.org), which take less than its 50 MB; `products`: of the shop. */
const LIMITS = { addresses: 50_000, products: 45_000 }

export const OPENING =
  '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
export const CLOSING = '</urlset>\n'

/** Pages of the storefront, for search engines (docs/published.md). That of an empty shop is empty but valid. */
export function sitemapPublication(limits: Partial<typeof LIMITS> = {}): Publication {
  const { addresses, products } = { ...LIMITS, ...limits }
  return {
    findObstacle: async () => null,
    opening: () => OPENING,
    async *content(trx, { siteUrl }, counts) {
      const settings = await freshSettings(trx)
      const categories = inOrder(await readTree(trx)).filter(({ visible }) => visible)
      const pages = [
        ...categories.map(({ row }) => sitemapEntry(canonicalAddress(siteUrl, 'categories', row, settings), row)),
        ...(await listSitemapTags(trx)).map((tag) =>
          sitemapEntry(canonicalAddress(siteUrl, 'tags', tag, settings), tag),
        ),
      ].slice(0, addresses)
      counts.entries = pages.length
      yield pages.join('')
      let left = Math.min(products, addresses - pages.length)
      let before: number | null | undefined = null
      while (left > 0 && before !== undefined) {
        const page = await listSitemapProducts(trx, { before, limit: Math.min(left, PAGE_SIZE) })
        yield page.map((row) => sitemapEntry(canonicalAddress(siteUrl, 'products', row, settings), row)).join('')
        counts.entries += page.length
        left -= page.length
        before = page.at(-1)?.id
      }
      yield CLOSING
    },
    findFault: async () => null,
  }
}

/** A page of the storefront. */
export function sitemapEntry(address: string, { updated_at }: Pick<SitemapRow, 'updated_at'>): string {
  return `<url><loc>${escapeXml(address)}</loc><lastmod>${updated_at.toISOString()}</lastmod></url>\n`
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

const DAY_MS = 86_400_000
const SECURITY_TXT_DAYS = 90

/** security.txt (RFC 9116): where to report a vulnerability. @throws AppError 404 while the shop names no contact */
export async function securityTxt(deps: Deps): Promise<string> {
  const { shop_security_contact: contact } = await settingValues(deps)
  if (contact === '') throw notFound('path')
  const { siteUrl } = deps.config
  // Whole days, so that the file is the same for a day.
  const expires = (Math.floor(deps.now().getTime() / DAY_MS) + SECURITY_TXT_DAYS) * DAY_MS
  return [
    `Contact: ${contact.startsWith('https:') ? contact : `mailto:${contact}`}`,
    `Expires: ${new Date(expires).toISOString()}`,
    'Preferred-Languages: ru, en',
    `Canonical: ${siteUrl}/.well-known/security.txt`,
    '',
  ].join('\n')
}

/** robots.txt (RFC 9309). The public API stays open: crawlers that render pages read it. */
export function robotsTxt({ config: { siteUrl } }: Deps): string {
  const disallowed = DISALLOWED.map((path) => `Disallow: ${path}\n`).join('')
  return `User-agent: *\nAllow: /\n${disallowed}\nSitemap: ${siteUrl}/sitemap.xml\n`
}
