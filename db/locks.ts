/** Keys of PostgreSQL's advisory locks. */
export const LOCKS = {
  // Work of one instance at a time, on a dedicated connection (advisory-locks.ts).
  supplierSync: 7_120_001,
  ymlFeed: 7_120_002,
  sitemap: 7_120_004,
  googleFeed: 7_120_007,
  xmlPipeline: 7_120_005,
  // Work of one transaction at a time (queries/locks.ts).
  firstAdmin: 7_120_003,
  /** For allocating slugs. */
  productSlugs: 7_120_011,
  categorySlugs: 7_120_012,
  tagSlugs: 7_120_013,
  brandSlugs: 7_120_015,
  /**
   * For transactions that write many products (a page of the sync, a bulk edit, the deletion of a category), delete one, or
   * change a product's name or category: they would lock rows of products, categories and orders in different orders. Take
   * it before any of these rows. Other edits of a single product don't need it.
   */
  productRows: 7_120_014,
  /** For writes of categories, so that decisions rest on a stable tree. Take it before reading or locking any category. */
  categoryTree: 7_120_031,
  /** For runs of the auto-hide job, so that each sees what the run before it wrote. Take it before categoryTree. */
  categoryVisibility: 7_120_032,
  // First part of a two-part key; the second is the id of the order being submitted, or of the product whose stock is
  // being reserved.
  order: 7_120_020,
  product: 7_120_021,
  /** The second part is the beginning of the bytes' hash. */
  imageBytes: 7_120_022,
} as const
