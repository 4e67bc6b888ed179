import type { BrandLink } from '../db/queries/catalogue/brands.ts'
import type { CategoryRow } from '../db/tables/catalogue.ts'
import type { ImageRow } from '../db/tables/content.ts'
import type { CategoryTree } from './rules/catalogue/category-tree.ts'
import type { SettingsSnapshot } from './rules/settings/keys.ts'
import type { Caches } from './runtime/cache/caches.ts'
import type { EncodedBody } from './runtime/cache/encoded-body.ts'
import type { Link } from './schemas/products.ts'

const PRODUCTS_MAX_BYTES = 16 * 1024 * 1024

type NamedLinks = { link: Link; words: string[] }[]

/** The caches of the services, and what invalidates each. */
export function createCached(caches: Caches) {
  /** Keyed by the id of the product; its availability changes with its stock. */
  const ofProducts = {
    staleBy: ['category', 'brand', 'tag', 'setting'],
    keyedBy: ['product', 'stock'],
  } as const
  return {
    settings: caches.create<SettingsSnapshot>('settings', { staleBy: ['setting'] }),
    /** Products as lists show them to the public; uncached lists are assembled from these. */
    products: caches.create<Buffer>('products', {
      ...ofProducts,
      size: (json) => json.byteLength,
      maxBytes: PRODUCTS_MAX_BYTES,
    }),
    cards: caches.create<{ card: EncodedBody; attributes: EncodedBody }>('cards', {
      ...ofProducts,
      size: ({ card, attributes }) => card.size + attributes.size,
    }),
    /** Other serialized public responses: a hit takes neither SQL nor serialization. */
    answers: caches.create<EncodedBody>('answers', {
      staleBy: ['product', 'category', 'brand', 'tag', 'attribute', 'setting', 'banner', 'feature', 'review'],
      size: ({ size }) => size,
    }),
    tree: caches.create<CategoryTree<CategoryRow>>('category_tree', { staleBy: ['category'] }),
    /** All brands by id. */
    brands: caches.create<ReadonlyMap<number, BrandLink>>('brands', { staleBy: ['brand'] }),
    /** What suggestions find by name. */
    suggested: caches.create<{ categories: NamedLinks; brands: NamedLinks }>('suggestions', {
      staleBy: ['product', 'category', 'brand'],
    }),
    images: caches.create<ImageRow | null>('images', { staleBy: [], keyedBy: ['image'] }),
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
