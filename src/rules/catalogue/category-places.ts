import { conflict, invalid } from '../../errors.ts'
import { MAX_INT } from '../lists.ts'
import { ancestorsOf, type CategoryRecord, type CategoryTree, type PlacedCategory } from './category-tree.ts'

type Tree = CategoryTree<CategoryRecord>
type Placed = PlacedCategory<CategoryRecord>

/** The parent that a request names; null: the top. @throws AppError 400 when there is none */
export function readParent(tree: Tree, parentId: number | null): Placed | null {
  if (parentId === null) return null
  const parent = tree.byId.get(parentId)
  if (parent === undefined) throw invalid({ path: 'parentId', message: 'is the id of no category' })
  return parent
}

/** What stands right below a place, as the tree shows it: hidden ones too, and at the top orphans. */
export function childrenAt(tree: Tree, parent: Placed | null): Placed[] {
  return parent?.children ?? tree.roots
}

/** @throws AppError 409 CATEGORY_CYCLE when the parent is the category itself or below it */
export function refuseCycle(category: Placed, parent: Placed | null): void {
  if (parent === null || ![...ancestorsOf(parent), parent].includes(category)) return
  throw conflict('CATEGORY_CYCLE', 'A category can stand neither below itself nor below what is below it')
}

/**
 * The category at the top whose supplier's parent leads back to it by way of this one, if there is one: with this one
 * elsewhere it would leave the top too.
 */
export function heldAtTop(tree: Tree, category: Placed): Placed | null {
  const [top] = ancestorsOf(category)
  if (top === undefined || top.row.parent_id === null) return null
  const supposed = tree.byId.get(top.row.parent_id)
  return supposed && [...ancestorsOf(supposed), supposed].includes(category) ? top : null
}

/** Ids of siblings with one of them, or a newcomer, at a position from 0; a position beyond the end is the end. */
export function placedAt(siblings: Placed[], id: number, position: number): number[] {
  return idsOf(siblings)
    .filter((one) => one !== id)
    .toSpliced(position, 0, id)
}

/** @throws AppError 409 CHILDREN_DIFFER that says what is missing and what is too much */
export function refuseOtherChildren(children: Placed[], ids: number[]): void {
  const wanted = new Set(ids)
  const present = new Set(idsOf(children))
  const missing = [...present.difference(wanted)]
  const extra = [...wanted.difference(present)]
  if (missing.length === 0 && extra.length === 0) return
  const faults = [
    missing.length > 0 ? `must also name ${listed(missing)}` : '',
    extra.length > 0 ? `must not name ${listed(extra)}: not right below that parent` : '',
  ]
  throw conflict('CHILDREN_DIFFER', 'The ids are not those of the categories right below that parent', {
    details: faults.filter((message) => message !== '').map((message) => ({ path: 'ids', message })),
  })
}

/** The displayOrder of a newcomer: behind the siblings once they were put in an order, by its name until then. */
export function orderOfNewcomer(siblings: Placed[]): number {
  const last = siblings.at(-1)?.row.display_order ?? 0
  return last > 0 ? Math.min(last + 1, MAX_INT) : 0
}

export function idsOf(categories: Placed[]): number[] {
  return categories.map(({ row }) => row.id)
}

const NAMED = 20

function listed(ids: number[]): string {
  const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
  return ids.slice(0, NAMED).join(', ') + more
}
