import type { Generated } from 'kysely'

export type SlugKind = 'product' | 'category' | 'tag' | 'brand'

/** Every current and former slug: one key for uniqueness, lookup and redirect. */
export type SlugHistoryTable = {
  kind: SlugKind
  slug: string
  entity_id: number
  /** The slug without its suffix `-2`, `-3`…, and that number or 1: an index finds the next free one. */
  base: string
  suffix: number
  created_at: Generated<Date>
}
