/** The keys of PostgreSQL's advisory locks. */
export const LOCKS = {
  /** What only one instance may do at a time; held on a connection of its own (advisory-locks.ts). */
  supplierSync: 7_120_001,
  ymlFeed: 7_120_002,
  sitemap: 7_120_004,
  xmlPipeline: 7_120_005,
  /** What only one transaction may do at a time. */
  firstAdmin: 7_120_003,
  productSlugs: 7_120_011,
  categorySlugs: 7_120_012,
  tagSlugs: 7_120_013,
  /** Held by whoever writes many products, in whatever order, or deletes one with all that hangs on it. */
  productRows: 7_120_014,
  /** Held by whoever writes categories, so that nobody decides by a tree that another is changing. */
  categoryTree: 7_120_031,
  /** Held by whoever finds out which categories are to be hidden; taken before the tree's. */
  categoryVisibility: 7_120_032,
  /**
   * The first part of a two-part key, of which the second is a record's id. Whoever submits an order holds its lock;
   * whoever takes a product's quantity holds that product's.
   */
  order: 7_120_020,
  product: 7_120_021,
  /** Of the same kind: the second part is the beginning of the bytes' hash. */
  imageBytes: 7_120_022,
  /** Held by the shop that an embedded server belongs to, for as long as it lives. */
  embeddedServer: 731_240_518,
} as const
