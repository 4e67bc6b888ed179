import type { SitemapOutcome } from '../../rules/published/sitemap.ts'
import { type Publication, type PublishDeps, rebuild, requestRebuild } from './publishing.ts'
import { buildSitemap } from './sitemap-build.ts'

/** What search engines are told of (contract section 11). Of an empty shop it is empty, and true. */
export const SITEMAP: Publication<Omit<SitemapOutcome, 'durationMs'>> = {
  kind: 'sitemap',
  lock: 'sitemap',
  of: ({ sitemap }) => sitemap,
  build: buildSitemap,
  failed: (reason) => ({ status: 'FAILED', addresses: 0, parts: 0, reason }),
  missing: async () => null,
}

/** See rebuild of publishing.ts. */
export function rebuildSitemap(deps: PublishDeps): Promise<SitemapOutcome> {
  return rebuild(deps, SITEMAP)
}

/** See requestRebuild of publishing.ts. */
export function requestSitemapRebuild(deps: PublishDeps, reason: string): void {
  requestRebuild(deps, SITEMAP, reason)
}
