import type { Generated, Selectable } from 'kysely'

export const FILTER_TARGETS = ['name', 'path'] as const

/** Hide categories by name, or by path from the root. */
export type CategoryRegexFiltersTable = {
  id: Generated<number>
  pattern: string
  target: (typeof FILTER_TARGETS)[number]
  active: Generated<boolean>
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}
export type CategoryFilterRow = Selectable<CategoryRegexFiltersTable>
