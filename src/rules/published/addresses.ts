/** Pages of the storefront that go by a slug. */
export type Page = 'products' | 'categories' | 'tags'

/** Where the storefront shows it: what the feed and the sitemap lead to. */
export function addressOf(siteUrl: string, page: Page, slug: string): string {
  return `${siteUrl}/${page}/${slug}`
}
