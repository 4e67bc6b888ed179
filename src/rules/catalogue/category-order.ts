import { conflict, invalid } from '../../errors.ts'
import { MAX_INT } from '../lists.ts'
import { ancestorsOf, type CategoryRecord, type CategoryTree, type PlacedCategory } from './category-tree.ts'

type Tree = CategoryTree<CategoryRecord>
type Placed = PlacedCategory<CategoryRecord>

/** The parent that a request names; null is the top. @throws AppError 400 */
export function readParent<R extends CategoryRecord>(
  tree: CategoryTree<R>,
  parentId: number | null,
): PlacedCategory<R> | null {
  if (parentId === null) return null
  const parent = tree.byId.get(parentId)
  if (parent === undefined) throw invalid({ path: 'parentId', message: 'there is no such category' })
  return parent
}

/** The direct children as the tree shows them: hidden ones too, and orphans at the top. */
export function childrenOf(tree: Tree, parent: Placed | null): Placed[] {
  return parent?.children ?? tree.roots
}

/** @throws AppError 409 CATEGORY_CYCLE when the parent is the category itself or one of its descendants */
export function refuseCycle(category: Placed, parent: Placed | null): void {
  if (parent !== null && [...ancestorsOf(parent), parent].includes(category)) {
    throw conflict('CATEGORY_CYCLE', 'A category can not be its own ancestor')
  }
}

/** The siblings' ids with the category at a position from 0, whether or not it is among them; past the end means last. */
export function idsWithCategoryAt(siblings: Placed[], id: number, position: number): number[] {
  return idsOf(siblings)
    .filter((sibling) => sibling !== id)
    .toSpliced(position, 0, id)
}

/** @throws AppError 409 CHILDREN_DIFFER that names missing and extra ids */
export function refuseOtherChildren(children: Placed[], ids: number[]): void {
  const wanted = new Set(ids)
  const present = new Set(idsOf(children))
  const missing = [...present.difference(wanted)]
  const extra = [...wanted.difference(present)]
  const messages = [
    ...(missing.length > 0 ? [`must also name ${joinIds(missing)}`] : []),
    ...(extra.length > 0 ? [`must not name ${joinIds(extra)}: not right below that parent`] : []),
  ]
  if (messages.length === 0) return
  throw conflict('CHILDREN_DIFFER', 'The ids are not those of the categories right below that parent', {
    details: messages.map((message) => ({ path: 'ids', message })),
  })
}

/** The displayOrder of a new category: last among numbered siblings; unnumbered ones are sorted by name. */
export function nextDisplayOrder(siblings: Placed[]): number {
  const last = siblings.at(-1)?.row.display_order ?? 0
  return last > 0 ? Math.min(last + 1, MAX_INT) : 0
}

export function idsOf(categories: Placed[]): number[] {
  return categories.map(({ row }) => row.id)
}

const MAX_NAMED_IDS = 20

function joinIds(ids: number[]): string {
  const more = ids.length > MAX_NAMED_IDS ? ` and ${ids.length - MAX_NAMED_IDS} more` : ''
  return ids.slice(0, MAX_NAMED_IDS).join(', ') + more
}
