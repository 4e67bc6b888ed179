import {
  type CategoryRecord,
  type CategoryTree,
  countBySubtree,
  inOrder,
  type PlacedCategory,
} from './category-tree.ts'

type Tree<R extends CategoryRecord> = CategoryTree<R>

/** The categories with no active product in their whole subtree, in tree order. @param direct active products of each */
export function unusedIn<R extends CategoryRecord>(
  tree: Tree<R>,
  direct: ReadonlyMap<number, number>,
): PlacedCategory<R>[] {
  const counts = countBySubtree(tree, direct)
  return inOrder(tree).filter(({ row }) => (counts.get(row.id) ?? 0) === 0)
}

/**
 * What the auto-hide job has to change (contract section 4): hidden is what a rule matches, and what holds no active
 * product. While the catalogue may be half read, want of products hides nothing new.
 */
export function autoHiding(
  tree: Tree<CategoryRecord>,
  {
    direct,
    matched,
    whole,
  }: { direct: ReadonlyMap<number, number>; matched: ReadonlySet<number>; whole: boolean },
): { hide: number[]; show: number[] } {
  const unused = new Set(unusedIn(tree, direct).map(({ row }) => row.id))
  const hide: number[] = []
  const show: number[] = []
  for (const { row } of inOrder(tree)) {
    const isHidden = row.auto_hidden_by_visibility_sync
    const shallBe = matched.has(row.id) || (unused.has(row.id) && (whole || isHidden))
    if (shallBe !== isHidden) (shallBe ? hide : show).push(row.id)
  }
  return { hide, show }
}

/** How many of the others, visible now, would no longer be when these were hidden: they are below one of them. */
export function countBelow(tree: Tree<CategoryRecord>, hidden: ReadonlySet<number>): number {
  const gone = new Set<number>()
  for (const { row, parent } of inOrder(tree)) {
    if (hidden.has(row.id) || (parent && gone.has(parent.row.id))) gone.add(row.id)
  }
  return [...gone].filter((id) => !hidden.has(id) && tree.byId.get(id)?.visible).length
}
