import type { SettingValues } from '../settings/keys.ts'

/** What has a page in the storefront. */
type PageKind = 'products' | 'categories' | 'tags' | 'brands'
type Page = { id: number; slug: string }
type Settings = Pick<SettingValues, 'feed_product_url'>

/**
 * The storefront's page of a record for search engines: a path, or an address if `feed_product_url` is one
 * (docs/published.md). Parameters that feeds add to be counted by aren't part of it.
 */
export function canonicalPath(kind: PageKind, page: Page, { feed_product_url: pattern }: Settings): string {
  if (kind !== 'products') return `/${kind}/${page.slug}`
  const [path = pattern] = pattern.split(/[?#]/)
  return fillPattern(/\{(slug|id)\}/.test(path) ? path : pattern, page)
}

/** The same as an address. */
export function canonicalAddress(siteUrl: string, ...page: Parameters<typeof canonicalPath>): string {
  return addressOf(siteUrl, canonicalPath(...page))
}

/** The address of a product's page in feeds. */
export function feedAddress(siteUrl: string, page: Page, { feed_product_url }: Settings): string {
  return addressOf(siteUrl, fillPattern(feed_product_url, page))
}

function fillPattern(pattern: string, { id, slug }: Page): string {
  return pattern.replaceAll('{slug}', slug).replaceAll('{id}', String(id))
}

function addressOf(siteUrl: string, path: string): string {
  return path.startsWith('/') ? siteUrl + path : path
}
