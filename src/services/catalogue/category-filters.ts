import { listCategories } from '../../../db/queries/catalogue/categories.ts'
import {
  countCategoryFilters,
  listCategoryFilters,
} from '../../../db/queries/catalogue/category-visibility.ts'
import type { Deps } from '../../deps.ts'
import { conflict } from '../../errors.ts'
import type { Actor } from '../../rules/accounts/actor.ts'
import { checkPattern } from '../../rules/catalogue/category-patterns.ts'
import { arrangeCategories, inOrder, pathsOf } from '../../rules/catalogue/category-tree.ts'
import { countBelow } from '../../rules/catalogue/category-visibility.ts'
import {
  CategoryFilter,
  type CategoryFilterInput,
  type CategoryFilterMatches,
} from '../../schemas/category-filters.ts'
import { type RecordKind, recordUseCases } from '../records.ts'
import { toWire } from '../wire.ts'
import { matchCategories } from './category-visibility.ts'

const MAX_FILTERS = 200

export const CATEGORY_FILTERS: RecordKind<'category_regex_filters', CategoryFilter, CategoryFilterInput> = {
  table: 'category_regex_filters',
  name: 'category filter',
  entity: 'CATEGORY_FILTER',
  change: 'categoryFilter',
  toWire: (row) => toWire(CategoryFilter, row),
  toValues({ pattern, target, active }) {
    checkPattern(pattern)
    return { pattern, target, active }
  },
}

/** Checks the pattern if it is given. @throws AppError 400 */
export function checkFilter({ pattern }: Partial<CategoryFilterInput>): void {
  if (pattern !== undefined) checkPattern(pattern)
}

/** Lists category filters by id (contract section 4, "Rules"). */
export async function listFilters({ db }: Deps): Promise<CategoryFilter[]> {
  return (await listCategoryFilters(db)).map(CATEGORY_FILTERS.toWire)
}

/** @throws AppError 400 for an invalid pattern; 409 TOO_MANY_FILTERS */
export async function createFilter(
  deps: Deps,
  actor: Actor,
  input: CategoryFilterInput,
): Promise<CategoryFilter> {
  checkPattern(input.pattern)
  if ((await countCategoryFilters(deps.db)) >= MAX_FILTERS) {
    throw conflict('TOO_MANY_FILTERS', `There are already ${MAX_FILTERS} filters; combine some patterns`)
  }
  return recordUseCases(CATEGORY_FILTERS).create(deps, actor, input)
}

/** Finds the categories that a filter matches, and counts the others it would hide with them. @throws AppError 400 */
export async function testFilter({ db }: Deps, rule: CategoryFilterInput): Promise<CategoryFilterMatches> {
  checkPattern(rule.pattern)
  const tree = arrangeCategories(await listCategories(db))
  const matched = await matchCategories(tree, [rule])
  const paths = pathsOf(tree)
  const categories = inOrder(tree)
    .filter(({ row }) => matched.has(row.id))
    .map(({ row: { id, name }, parent, visible }) => ({
      id,
      name,
      path: paths.get(id) ?? name,
      parentId: parent?.row.id ?? null,
      visible,
    }))
  return { categories, count: categories.length, below: countBelow(tree, matched) }
}
