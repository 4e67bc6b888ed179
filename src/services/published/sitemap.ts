import { createHash, randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Trx } from '../../../db/database.ts'
import { findNewestPublication } from '../../../db/queries/published/publications.ts'
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
  type SitemapOutcome,
  type SitemapPart,
  sitemapFiles,
} from '../../rules/published/sitemap.ts'
import { robotsText, type StorefrontPage, storefrontUrl } from '../../rules/published/storefront.ts'
import { type Draft, laterThan, publish, writeGzipped } from './drafts.ts'
import { type Publication, type PublishDeps, rebuild, requestRebuild } from './publishing.ts'

/** Products read at a time, without delaying requests noticeably. */
const PAGE_SIZE = 500

type Listed = { slug: string; updated_at: Date }

/** Pages of the storefront, for search engines (contract section 11). That of an empty shop is empty but valid. */
export const SITEMAP: Publication<Omit<SitemapOutcome, 'durationMs'>> = {
  kind: 'sitemap',
  lock: 'sitemap',
  of: ({ sitemap }) => sitemap,
  build: buildSitemap,
  failed: (reason) => ({ status: 'FAILED', addresses: 0, parts: 0, reason }),
  missing: async () => null,
}

export function rebuildSitemap(deps: PublishDeps): Promise<SitemapOutcome> {
  return rebuild(deps, SITEMAP)
}

export function requestSitemapRebuild(deps: PublishDeps, reason: string): void {
  requestRebuild(deps, SITEMAP, reason)
}

/** robots.txt (RFC 9309). */
export function robotsTxt({ config }: Pick<Deps, 'config'>): string {
  return robotsText(config.siteUrl)
}

/**
 * Builds the sitemap from one snapshot of the database, and publishes it if it changed: one file, or an index and its parts
 * if that is too large.
 * @param folder for temporary files
 */
export async function buildSitemap(
  deps: Pick<PublishDeps, 'config' | 'db' | 'now' | 'changes'>,
  folder: string,
  signal: AbortSignal,
  limits: SitemapLimits = SITEMAP_LIMITS,
): Promise<Omit<SitemapOutcome, 'durationMs'>> {
  const paths: string[] = []
  const newPath = (): string => {
    const path = join(folder, `${randomUUID()}.tmp`)
    paths.push(path)
    return path
  }
  try {
    const { draft, parts, publishedHash } = await writeDraft(deps, newPath, signal, limits)
    const built = { addresses: draft.entries, parts }
    if (publishedHash === draft.content_hash) {
      return { status: 'UNCHANGED', ...built, reason: 'Nothing has changed since the published sitemap' }
    }
    await publish(deps, draft, signal)
    return { status: 'PUBLISHED', ...built, reason: null }
  } finally {
    await Promise.all(paths.map((path) => rm(path, { force: true })))
  }
}

function writeDraft(
  { config, db, now }: Pick<PublishDeps, 'config' | 'db' | 'now'>,
  newPath: () => string,
  signal: AbortSignal,
  limits: SitemapLimits,
): Promise<{ draft: Draft; parts: number; publishedHash: string | undefined }> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only')
  return snapshot.execute(async (trx) => {
    const published = await findNewestPublication(trx, 'sitemap')
    const parts = await readParts(trx, config.siteUrl, limits)
    const hash = createHash('sha256')
    const files: Draft['files'] = []
    for (const { name, texts } of sitemapFiles(config.siteUrl, parts)) {
      const path = newPath()
      for (const text of texts) hash.update(text)
      files.push({ name, path, ...(await writeGzipped(path, texts, signal)) })
    }
    const draft: Draft = {
      kind: 'sitemap',
      built_at: laterThan(published?.built_at, now()),
      content_hash: hash.digest('hex'),
      entries: parts.reduce((sum, { addresses }) => sum + addresses, 0),
      files,
      after: published?.id ?? null,
    }
    return { draft, parts: parts.length, publishedHash: published?.content_hash }
  })
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
