import type { Generated } from 'kysely'

export type SlugKind = 'product' | 'category' | 'tag'

/** Every slug a record has or had, the present one included: one key for uniqueness, lookup and redirect. */
export type SlugHistoryTable = {
  kind: SlugKind
  slug: string
  entity_id: number
  /** The slug without its `-2`, `-3`… and that number (1 for none): the next free one is found by an index. */
  base: string
  suffix: number
  created_at: Generated<Date>
}
