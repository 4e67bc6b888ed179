import type { CategoryRow } from '../../../db/tables/categories.ts'
import type { CategoryTree } from '../../rules/catalogue/category-tree.ts'
import type { CacheRegion, Caches } from '../../runtime/caches.ts'
import type { FoundProducts } from './search.ts'

/** A whole answer as it goes out: JSON in UTF-8. */
export type JsonBytes = Buffer

export function toJsonBytes(value: object): JsonBytes {
  return Buffer.from(JSON.stringify(value))
}

/**
 * What the catalogue keeps; every region is emptied by the topic `catalogue` (contract section 11),
 * which settings that show in it name too (rules/settings/keys.ts).
 */
export type CatalogueCache = {
  /** Whole answers for the public: a hit costs neither SQL nor serialisation nor encoding. */
  answers: CacheRegion<JsonBytes>
  tree: CacheRegion<CategoryTree<CategoryRow>>
  /** How many products a filter finds: the pages of a list share it. */
  found: CacheRegion<FoundProducts>
  slugs: CacheRegion<{ id: number; slug: string } | null>
}

export function createCatalogueCache(caches: Caches): CatalogueCache {
  return {
    answers: caches.region('catalogue'),
    tree: caches.region('catalogue'),
    found: caches.region('catalogue'),
    slugs: caches.region('catalogue'),
  }
}
