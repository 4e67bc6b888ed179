import {
  type CategoryRecord,
  type CategoryTree,
  countBySubtree,
  inOrder,
  type PlacedCategory,
} from './category-tree.ts'

/** The categories without an active product in their subtree, in tree order. @param direct active products directly in each */
export function listUnused<R extends CategoryRecord>(
  tree: CategoryTree<R>,
  direct: ReadonlyMap<number, number>,
): PlacedCategory<R>[] {
  const counts = countBySubtree(tree, direct)
  return inOrder(tree).filter(({ row }) => (counts.get(row.id) ?? 0) === 0)
}

/**
 * What the auto-hide job has to change (contract section 4). It hides what a rule matches and what has no active
 * product; while the catalogue may be incomplete, missing products hide nothing new.
 */
export function planAutoHide(
  tree: CategoryTree<CategoryRecord>,
  {
    direct,
    matched,
    complete,
  }: { direct: ReadonlyMap<number, number>; matched: ReadonlySet<number>; complete: boolean },
): { hide: number[]; show: number[] } {
  const unused = new Set(listUnused(tree, direct).map(({ row }) => row.id))
  const hide: number[] = []
  const show: number[] = []
  for (const { row } of inOrder(tree)) {
    const isHidden = row.auto_hidden_by_visibility_sync
    const shouldHide = matched.has(row.id) || (unused.has(row.id) && (complete || isHidden))
    if (shouldHide !== isHidden) (shouldHide ? hide : show).push(row.id)
  }
  return { hide, show }
}

/** How many other categories, visible now, would disappear because an ancestor is among the hidden ones. */
export function countBelow(tree: CategoryTree<CategoryRecord>, hidden: ReadonlySet<number>): number {
  const covered = new Set<number>()
  for (const { row, parent } of inOrder(tree)) {
    if (hidden.has(row.id) || (parent && covered.has(parent.row.id))) covered.add(row.id)
  }
  return [...covered].filter((id) => !hidden.has(id) && tree.byId.get(id)?.visible).length
}
