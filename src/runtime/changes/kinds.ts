import type { PublicationKind } from '../../../db/tables/publications.ts'
import type { TopicName } from '../../rules/topics.ts'
import type { WebhookEvent } from '../../rules/webhooks.ts'

/** Copies of database content in memory, as metrics name them. */
export const CACHE_NAMES = [
  'answers',
  'brands',
  'cards',
  'category_tree',
  'corrections',
  'image_variants',
  'images',
  'product_index',
  'products',
  'publications',
  'settings',
  'slugs',
  'suggestions',
] as const
export type CacheName = (typeof CACHE_NAMES)[number]

/** What a change concerns: all entries of a cache or all that a topic shows, or only the changed ids. */
type Scope = 'all' | 'ids'

type Effects = {
  /** The caches that it makes stale. */
  caches?: { readonly [Name in CacheName]?: Scope }
  /** The publications that may show what changed. */
  publications?: readonly PublicationKind[]
  /** The topics of live events on which it is announced. */
  topics?: { readonly [Name in TopicName]?: Scope }
  webhook?: WebhookEvent
}

/** All kinds of change that a transaction can record, and what each one makes stale. The ids are those of the noun. */
const CHANGE_KINDS = {
  /** Anything that is shown of a product or decides where it is listed. */
  product: {
    caches: {
      answers: 'all',
      cards: 'ids',
      corrections: 'all',
      product_index: 'ids',
      products: 'ids',
      slugs: 'all',
      suggestions: 'all',
    },
    publications: ['feed', 'google-merchant', 'sitemap'],
    topics: { products: 'ids', 'product:{id}': 'ids' },
    webhook: 'product.changed',
  },
  /** Recorded beside `product` for those that the public saw until now: other hidden ones are never named to it. */
  productHidden: { topics: { products: 'ids', 'product:{id}': 'ids' }, webhook: 'product.changed' },
  /** Only the quantity that orders reserve of a product, which may end its availability. */
  stock: {
    caches: { cards: 'ids', product_index: 'ids', products: 'ids' },
    topics: { products: 'ids', 'product:{id}': 'ids' },
    webhook: 'product.changed',
  },
  /** Only how much of a product was ordered lately. */
  demand: { caches: { product_index: 'ids' } },

  // Products show their category, brand, tags and some settings.
  category: {
    caches: { answers: 'all', cards: 'all', category_tree: 'all', products: 'all', slugs: 'all', suggestions: 'all' },
    publications: ['feed', 'google-merchant', 'sitemap'],
    topics: { catalogue: 'all', products: 'all' },
  },
  brand: {
    caches: { answers: 'all', brands: 'all', cards: 'all', products: 'all', slugs: 'all', suggestions: 'all' },
    publications: ['feed', 'google-merchant'],
    topics: { catalogue: 'all', products: 'all' },
  },
  tag: {
    caches: { answers: 'all', cards: 'all', products: 'all', slugs: 'all' },
    publications: ['sitemap'],
    topics: { products: 'all' },
  },
  setting: {
    caches: { answers: 'all', cards: 'all', products: 'all', settings: 'all' },
    publications: ['feed', 'google-merchant', 'sitemap'],
    // A setting switches a job on or off.
    topics: { catalogue: 'all', products: 'all', jobs: 'ids' },
  },
  attribute: { caches: { answers: 'all' } },
  /** What it hides is recorded as changed categories. */
  categoryFilter: {},
  /** A product that shows it is recorded as changed, too. */
  image: { caches: { images: 'ids' } },

  banner: { caches: { answers: 'all' }, topics: { catalogue: 'all' } },
  feature: { caches: { answers: 'all' }, topics: { catalogue: 'all' } },
  review: { caches: { answers: 'all' } },

  // A new publication.
  feed: { caches: { publications: 'all' }, topics: { catalogue: 'all' }, webhook: 'feed.published' },
  'google-merchant': { caches: { publications: 'all' } },
  sitemap: { caches: { publications: 'all' } },

  orderCreated: { topics: { 'my-orders': 'ids', orders: 'ids' }, webhook: 'order.created' },
  order: { topics: { 'my-orders': 'ids', orders: 'ids' } },
  /** The status, and perhaps more of an order. */
  orderStatus: { topics: { 'my-orders': 'ids', orders: 'ids' }, webhook: 'order.status_changed' },
  contactCreated: { topics: { contacts: 'ids' }, webhook: 'contact.created' },
  contact: { topics: { contacts: 'ids' } },

  syncRun: { topics: { runs: 'ids' } },
  syncEnd: { topics: { runs: 'ids' }, webhook: 'sync.finished' },
  pipelineRun: { topics: { runs: 'ids' } },
  scrapeQueue: { topics: { runs: 'all' } },
  /** The begin or the end of a run of a job; the ids are names. */
  job: { topics: { jobs: 'ids' } },
  alert: { topics: { alerts: 'ids' } },

  // Connections of live events check their tokens again.
  user: {},
  apiKey: {},
} as const satisfies Record<string, Effects>

export type ChangeKind = keyof typeof CHANGE_KINDS

/** The kinds whose webhook event shows a record, as it is at the end of the transaction. */
export type EventKind = {
  [Kind in ChangeKind]: (typeof CHANGE_KINDS)[Kind] extends { webhook: Exclude<WebhookEvent, 'product.changed'> }
    ? Kind
    : never
}[ChangeKind]

/** False for a kind that only a newer version knows. */
export function isChangeKind(kind: string): kind is ChangeKind {
  return Object.hasOwn(CHANGE_KINDS, kind)
}

export function effectsOf(kind: ChangeKind): Effects {
  return CHANGE_KINDS[kind]
}
