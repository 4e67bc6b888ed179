import type { BrandLink } from '../db/queries/catalogue/brands.ts'
import type { CategoryRow } from '../db/tables/catalogue.ts'
import type { BannerBlockRow } from '../db/tables/content.ts'
import type { ImageRow } from '../db/tables/images.ts'
import type { CategoryTree } from './rules/catalogue/category-tree.ts'
import type { SettingsSnapshot } from './rules/settings/keys.ts'
import type { Shown } from './runtime/cache/cache.ts'
import type { Caches } from './runtime/cache/caches.ts'
import type { EncodedBody } from './runtime/cache/encoded-body.ts'

const PRODUCTS_MAX_BYTES = 16 * 1024 * 1024

/** A public response, and the products whose changes invalidate it. */
export type Answer = { body: EncodedBody; shown: Shown }

/** A product as JSON, with the availability that the JSON shows. */
export type CachedProduct = { id: number; json: Buffer; available: boolean }

/** Names with the words by which suggestions find them. */
export type SuggestedNames = {
  categories: { words: string; record: { id: number; name: string; slug: string } }[]
  brands: { words: string; record: BrandLink }[]
}

export type Cached = ReturnType<typeof createCached>

/** The caches of the services, and what invalidates each. */
export function createCached(caches: Caches) {
  /** Records of which products show something. */
  const staleBy = ['category', 'brand', 'tag', 'setting'] as const
  const size = ({ body }: Answer) => body.size
  return {
    settings: caches.create<SettingsSnapshot>('settings', { staleBy: ['setting'], settings: 'all' }),
    /** Products as lists show them to the public; uncached lists are assembled from these. */
    products: caches.create<CachedProduct>('products', {
      staleBy,
      shown: ({ id, available }) => ({ anyProduct: false, available: new Map([[id, available]]) }),
      size: ({ json }) => json.byteLength,
      maxBytes: PRODUCTS_MAX_BYTES,
    }),
    /** Serialized public responses: a hit takes neither SQL nor serialization. */
    answers: caches.create<Answer>('answers', {
      staleBy: [...staleBy, 'attribute'],
      shown: ({ shown }) => shown,
      size,
    }),
    tree: caches.create<CategoryTree<CategoryRow>>('category_tree', { staleBy: ['category'] }),
    /** All brands by id. */
    brands: caches.create<ReadonlyMap<number, BrandLink>>('brands', { staleBy: ['brand'] }),
    suggested: caches.create<SuggestedNames>('suggestions', { staleBy: ['product', 'category', 'brand'] }),
    banners: caches.create<BannerBlockRow[]>('banners', { staleBy: ['banner'] }),
    /** Serialized banners, features, reviews and public settings. */
    content: caches.create<Answer>('content', {
      staleBy: ['banner', 'feature', 'review', 'setting'],
      settings: 'all',
      size,
    }),
    images: caches.create<ImageRow | null>('images', { staleBy: [], keyedBy: 'image' }),
    /** By storage key, under which the bytes never change. */
    variants: caches.create<Buffer | null>('image_variants', {
      staleBy: [],
      size: (bytes) => bytes?.byteLength ?? 1,
    }),
    slugs: caches.create<{ id: number; slug: string } | null>('slugs', {
      staleBy: ['product', 'category', 'tag', 'brand'],
    }),
  }
}
