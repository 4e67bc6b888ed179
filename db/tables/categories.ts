import type { Generated, Selectable } from 'kysely'
import type { Edited, Json } from './columns.ts'

export type CategoriesTable = Edited & {
  external_id: string | null
  name: string
  slug: string
  parent_id: number | null
  /** The supplier's id of the parent, which may arrive later. */
  parent_external_id: string | null
  enabled: Generated<boolean>
  show_in_homepage: Generated<boolean>
  display_order: Generated<number>
  category_locked_by_gbstore: Generated<boolean>
  auto_hidden_by_visibility_sync: Generated<boolean>
  icon: string | null
  hidden_reason: string | null
  meta_title: string | null
  meta_description: string | null
  seo_text_doc: Json
  supplier_updated_at: Date | null
}

/** Supplier's ids of categories that staff deleted, which the sync skips. */
export type DeletedCategoriesTable = { external_id: string; deleted_at: Generated<Date> }

export type CategoryRow = Selectable<CategoriesTable>

export const FILTER_TARGETS = ['name', 'path'] as const

/** Hide categories by name, or by path from the root. */
export type CategoryRegexFiltersTable = Edited & {
  pattern: string
  target: (typeof FILTER_TARGETS)[number]
  active: Generated<boolean>
}
export type CategoryFilterRow = Selectable<CategoryRegexFiltersTable>
