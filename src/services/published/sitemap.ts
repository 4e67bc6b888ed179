import type { Trx } from '../../../db/database.ts'
import {
  listSitemapCategories,
  listSitemapProducts,
  listSitemapTags,
} from '../../../db/queries/published/sitemap.ts'
import type { Deps } from '../../deps.ts'
import { arrangeCategories, subtreeOf } from '../../rules/catalogue/category-tree.ts'
import {
  createSitemapParts,
  SITEMAP_LIMITS,
  type SitemapLimits,
  type SitemapPart,
  sitemapFiles,
} from '../../rules/published/sitemap.ts'
import { robotsText, type StorefrontPage, storefrontUrl } from '../../rules/published/storefront.ts'
import type { Publication } from './drafts.ts'

/** Products read at a time, without delaying requests noticeably. */
const PAGE_SIZE = 500

type Listed = { slug: string; updated_at: Date }

/** robots.txt (RFC 9309). */
export function robotsTxt({ config }: Deps): string {
  return robotsText(config.siteUrl)
}

/**
 * Pages of the storefront, for search engines (contract section 11): one file, or an index and its parts if that is too
 * large. That of an empty shop is empty but valid.
 */
export function sitemapPublication(limits: SitemapLimits = SITEMAP_LIMITS): Publication {
  return {
    lock: 'sitemap',
    findObstacle: async () => null,
    async write(trx, { siteUrl }, { add }) {
      const parts = await readParts(trx, siteUrl, limits)
      for (const { name, texts } of sitemapFiles(siteUrl, parts)) await add(name, texts)
      return { entries: parts.reduce((sum, { addresses }) => sum + addresses, 0), excluded: {} }
    },
    findFault: async () => null,
  }
}

/** Visible categories in tree order, tags, then the newest products. Takes a few megabytes at most. */
async function readParts(trx: Trx, siteUrl: string, limits: SitemapLimits): Promise<SitemapPart[]> {
  const parts = createSitemapParts(limits)
  const list = (page: StorefrontPage, rows: Listed[]): void => {
    for (const { slug, updated_at } of rows) parts.add(storefrontUrl(siteUrl, page, slug), updated_at)
  }
  const tree = arrangeCategories(await listSitemapCategories(trx))
  const nodes = tree.roots.flatMap((root) => subtreeOf(root))
  list(
    'categories',
    nodes.filter(({ visible }) => visible).map(({ row }) => row),
  )
  list('tags', await listSitemapTags(trx))
  let before: number | null = null
  for (let left = limits.products; left > 0; left -= PAGE_SIZE) {
    const products = await listSitemapProducts(trx, { before, limit: Math.min(left, PAGE_SIZE) })
    list('products', products)
    const last = products.at(-1)
    if (last === undefined) break
    before = last.id
  }
  return parts.all()
}
