import type { Db } from '../../../db/database.ts'
import {
  countActiveProductsByCategory,
  listCategoryPlaces,
} from '../../../db/queries/catalogue/categories.ts'
import { hideCategories } from '../../../db/queries/catalogue/category-edits.ts'
import type { UserRow } from '../../../db/tables/users.ts'
import type { Deps } from '../../deps.ts'
import {
  arrangeCategories,
  type CategoryRecord,
  type CategoryTree,
  pathsOf,
} from '../../rules/catalogue/category-tree.ts'
import { unusedIn } from '../../rules/catalogue/category-visibility.ts'
import { write } from '../../runtime/write.ts'
import type { UnusedCategories } from '../../schemas/categories.ts'
import { openTree } from './category-writes.ts'

const REASON = 'No active products'

/** The categories that are switched on and hold no active product in their whole subtree. */
export async function previewUnused({ db }: Pick<Deps, 'db'>): Promise<UnusedCategories> {
  return unusedCategories(db, arrangeCategories(await listCategoryPlaces(db)))
}

/** Switches off what the preview would show now. @returns what that was */
export function hideUnused(deps: Pick<Deps, 'db' | 'changes'>, actor: UserRow): Promise<UnusedCategories> {
  return write(deps, async (tx) => {
    const unused = await unusedCategories(tx.db, await openTree(tx))
    const hidden = await hideCategories(
      tx.db,
      unused.categories.map(({ id }) => id),
      REASON,
    )
    tx.recordChange('category', hidden)
    for (const entityId of hidden) {
      const after = { enabled: false, hiddenReason: REASON }
      tx.audit({ actor, entity: 'CATEGORY', entityId, before: { enabled: true }, after })
    }
    return unused
  })
}

async function unusedCategories(db: Db, tree: CategoryTree<CategoryRecord>): Promise<UnusedCategories> {
  const paths = pathsOf(tree)
  const unused = unusedIn(tree, await countActiveProductsByCategory(db)).filter(({ row }) => row.enabled)
  const categories = unused.map(({ row: { id, name }, parent, visible }) => ({
    id,
    name,
    path: paths.get(id) ?? name,
    parentId: parent?.row.id ?? null,
    visible,
  }))
  return { categories, count: categories.length }
}
