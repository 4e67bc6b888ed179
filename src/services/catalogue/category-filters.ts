import { listCategoryPlaces } from '../../../db/queries/catalogue/categories.ts'
import {
  countCategoryFilters,
  listCategoryFilters,
} from '../../../db/queries/catalogue/category-visibility.ts'
import type { CategoryFilterRow } from '../../../db/tables/category-filters.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import { conflict } from '../../errors.ts'
import { checkPattern } from '../../rules/catalogue/category-patterns.ts'
import { arrangeCategories, inOrder, pathsOf } from '../../rules/catalogue/category-tree.ts'
import { countBelow } from '../../rules/catalogue/category-visibility.ts'
import type {
  CategoryFilter,
  CategoryFilterInput,
  CategoryFilterMatches,
  CategoryFilterTest,
} from '../../schemas/category-filters.ts'
import { createRecord, type RecordKind, type WriteDeps } from '../content/records.ts'
import { matchCategories } from './category-visibility.ts'

const MAX_FILTERS = 200

export const CATEGORY_FILTERS: RecordKind<'category_regex_filters', CategoryFilter> = {
  table: 'category_regex_filters',
  name: 'rule',
  entity: 'CATEGORY_FILTER',
  change: 'categoryFilter',
  toWire: toFilter,
  references: {},
}

/** Contract section 4, "Rules". */
export async function listFilters({ db }: Pick<Deps, 'db'>): Promise<CategoryFilter[]> {
  return (await listCategoryFilters(db)).map(toFilter)
}

/** @throws AppError 400 for what is no pattern; 409 TOO_MANY_FILTERS */
export async function createFilter(
  deps: WriteDeps,
  actor: UserRow,
  input: CategoryFilterInput,
): Promise<CategoryFilter> {
  const values = filterValues(input)
  if ((await countCategoryFilters(deps.db)) >= MAX_FILTERS) {
    throw conflict('TOO_MANY_FILTERS', `There are ${MAX_FILTERS} rules already; one pattern can say several`)
  }
  return createRecord(deps, CATEGORY_FILTERS, actor, values)
}

/** @throws AppError 400 */
export function filterValues({ pattern, target, active }: CategoryFilterInput) {
  checkPattern(pattern)
  return { pattern, target, active }
}

/** What a rule would hide: the categories that it matches, and how many more with them. @throws AppError 400 */
export async function testFilter(
  { db }: Pick<Deps, 'db'>,
  rule: CategoryFilterTest,
): Promise<CategoryFilterMatches> {
  checkPattern(rule.pattern)
  const tree = arrangeCategories(await listCategoryPlaces(db))
  const matched = await matchCategories(tree, [rule])
  const paths = pathsOf(tree)
  const categories = inOrder(tree)
    .filter(({ row }) => matched.has(row.id))
    .map(({ row: { id, name }, visible }) => ({ id, name, path: paths.get(id) ?? name, visible }))
  return { categories, count: categories.length, below: countBelow(tree, matched) }
}

function toFilter(row: CategoryFilterRow): CategoryFilter {
  return {
    id: row.id,
    pattern: row.pattern,
    target: row.target,
    active: row.active,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
