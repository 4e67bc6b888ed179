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

/** The caches of the services; runtime/changes/kinds.ts says what invalidates each. */
export function createCached(caches: Caches) {
  return {
    settings: caches.create<SettingsSnapshot>('settings'),
    /** Products as lists show them to the public, by id; uncached lists are assembled from these. */
    products: caches.create<Buffer>('products', { size: (json) => json.byteLength, maxBytes: PRODUCTS_MAX_BYTES }),
    /** By the id of the product. */
    cards: caches.create<{ card: EncodedBody; attributes: EncodedBody }>('cards', {
      size: ({ card, attributes }) => card.size + attributes.size,
    }),
    /** Other serialized public responses: a hit takes neither SQL nor serialization. */
    answers: caches.create<EncodedBody>('answers', { size: ({ size }) => size }),
    tree: caches.create<CategoryTree<CategoryRow>>('category_tree'),
    /** All brands by id. */
    brands: caches.create<ReadonlyMap<number, BrandLink>>('brands'),
    /** What suggestions find by name. */
    suggested: caches.create<{ categories: NamedLinks; brands: NamedLinks }>('suggestions'),
    images: caches.create<ImageRow | null>('images'),
    /** By storage key, under which the bytes never change. */
    variants: caches.create<Buffer | null>('image_variants', { size: (bytes) => bytes?.byteLength ?? 1 }),
    slugs: caches.create<{ id: number; slug: string } | null>('slugs'),
  }
}
