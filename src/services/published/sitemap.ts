import { listCategories } from '../../../db/queries/catalogue/categories.ts'
import { listSitemapProducts, listSitemapTags } from '../../../db/queries/published/sitemap.ts'
import type { Deps } from '../../deps.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import { robotsText, SITEMAP_CLOSING, SITEMAP_OPENING, sitemapEntry } from '../../rules/published/sitemap.ts'
import type { Publication } from './build.ts'

/** Products read at a time, without delaying requests noticeably. */
const PAGE_SIZE = 500
/** `addresses`: of the protocol (sitemaps.org), which take less than its 50 MB; `products`: specification, "Limits". */
const LIMITS = { addresses: 50_000, products: 45_000 }

/** robots.txt (RFC 9309). */
export function robotsTxt({ config }: Deps): string {
  return robotsText(config.siteUrl)
}

/** Pages of the storefront, for search engines (contract section 11). That of an empty shop is empty but valid. */
export function sitemapPublication(limits: Partial<typeof LIMITS> = {}): Publication {
  const { addresses, products } = { ...LIMITS, ...limits }
  return {
    findObstacle: async () => null,
    opening: () => SITEMAP_OPENING,
    async *content(trx, { siteUrl }, counts) {
      const tree = arrangeCategories(await listCategories(trx))
      const categories = tree.roots.flatMap((root) => subtreeOf(root)).filter(({ visible }) => visible)
      const pages = [
        ...categories.map(({ row }) => sitemapEntry(siteUrl, 'categories', row)),
        ...(await listSitemapTags(trx)).map((tag) => sitemapEntry(siteUrl, 'tags', tag)),
      ].slice(0, addresses)
      counts.entries = pages.length
      yield pages.join('')
      let left = Math.min(products, addresses - pages.length)
      let before: number | null | undefined = null
      while (left > 0 && before !== undefined) {
        const page = await listSitemapProducts(trx, { before, limit: Math.min(left, PAGE_SIZE) })
        yield page.map((product) => sitemapEntry(siteUrl, 'products', product)).join('')
        counts.entries += page.length
        left -= page.length
        before = page.at(-1)?.id
      }
      yield SITEMAP_CLOSING
    },
    findFault: async () => null,
  }
}
