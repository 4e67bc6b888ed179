import { conflict, invalid, missingRecord } from '../../errors.ts'
import { MAX_INT } from '../lists.ts'
import { beginningOf } from '../text.ts'

/** The columns that the shape of the tree and the visibility of its nodes depend on. */
export type CategoryRecord = {
  id: number
  name: string
  parent_id: number | null
  parent_external_id: string | null
  enabled: boolean
  auto_hidden_by_visibility_sync: boolean
  display_order: number
}

export type PlacedCategory<R extends CategoryRecord = CategoryRecord> = {
  row: R
  /** Null at the top: a root, an orphan, or the place where a cycle was cut. */
  parent: PlacedCategory<R> | null
  /** Ordered by displayOrder, then name, then id. */
  children: PlacedCategory<R>[]
  /** At the top although it has a parent: the parent is missing, or the parents form a cycle. */
  orphan: boolean
  /** Enabled, not auto-hidden, and every ancestor visible (docs/catalogue.md). */
  visible: boolean
}

export type CategoryTree<R extends CategoryRecord = CategoryRecord> = {
  byId: Map<number, PlacedCategory<R>>
  /** Ordered like children. */
  roots: PlacedCategory<R>[]
}

const byName = new Intl.Collator('ru', { numeric: true }).compare

/**
 * Arranges categories as a tree. A category with a missing parent becomes an orphan at the top, and a cycle is cut above
 * its category with the smallest id.
 */
export function arrangeCategories<R extends CategoryRecord>(rows: R[]): CategoryTree<R> {
  const byId = new Map<number, PlacedCategory<R>>()
  for (const row of rows) byId.set(row.id, { row, parent: null, children: [], orphan: false, visible: false })
  for (const node of byId.values()) {
    node.parent = (node.row.parent_id === null ? undefined : byId.get(node.row.parent_id)) ?? null
    node.orphan = node.parent === null && (node.row.parent_id ?? node.row.parent_external_id) !== null
  }
  cutCycles([...byId.values()])

  const roots: PlacedCategory<R>[] = []
  for (const node of byId.values()) (node.parent?.children ?? roots).push(node)
  roots.sort(compare)
  const open = [...roots]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { enabled, auto_hidden_by_visibility_sync } = node.row
    node.visible = enabled && !auto_hidden_by_visibility_sync && (node.parent?.visible ?? true)
    node.children.sort(compare)
    for (const child of node.children) open.push(child)
  }
  return { byId, roots }
}

/** The ancestors from the top down. */
export function ancestorsOf<R extends CategoryRecord>(node: PlacedCategory<R>): PlacedCategory<R>[] {
  const ancestors: PlacedCategory<R>[] = []
  for (let up = node.parent; up !== null; up = up.parent) ancestors.push(up)
  return ancestors.reverse()
}

/** The category and its descendants. */
export function subtreeOf<R extends CategoryRecord>(node: PlacedCategory<R>): PlacedCategory<R>[] {
  const subtree: PlacedCategory<R>[] = [node]
  // The list grows during the loop.
  for (const member of subtree) for (const child of member.children) subtree.push(child)
  return subtree
}

/** Depth first, siblings in their order. */
export function inOrder<R extends CategoryRecord>(tree: CategoryTree<R>): PlacedCategory<R>[] {
  const ordered: PlacedCategory<R>[] = []
  const open = [...tree.roots].reverse()
  for (let category = open.pop(); category !== undefined; category = open.pop()) {
    ordered.push(category)
    for (const child of category.children.toReversed()) open.push(child)
  }
  return ordered
}

/** The number of products in each subtree. @param direct products directly in each category */
export function countBySubtree(tree: CategoryTree, direct: ReadonlyMap<number, number>): Map<number, number> {
  const counts = new Map<number, number>()
  // Backwards, so that a category is complete before it is added to its parent.
  for (const { row, parent } of tree.roots.flatMap(subtreeOf).reverse()) {
    const count = (counts.get(row.id) ?? 0) + (direct.get(row.id) ?? 0)
    counts.set(row.id, count)
    if (parent) counts.set(parent.row.id, (counts.get(parent.row.id) ?? 0) + count)
  }
  return counts
}

/** Bounds the memory that the paths of a deep chain of categories take. */
const MAX_PATH_LENGTH = 1000

/** The path of each category: the names from the top down, joined by ` / `, truncated. */
export function pathsOf(tree: CategoryTree): Map<number, string> {
  const paths = new Map<number, string>()
  for (const { row, parent } of inOrder(tree)) {
    const path = parent === null ? row.name : `${paths.get(parent.row.id)} / ${row.name}`
    paths.set(row.id, beginningOf(path, MAX_PATH_LENGTH))
  }
  return paths
}

function compare(a: PlacedCategory, b: PlacedCategory): number {
  return a.row.display_order - b.row.display_order || byName(a.row.name, b.row.name) || a.row.id - b.row.id
}

function cutCycles(nodes: PlacedCategory[]): void {
  const settled = new Set<PlacedCategory>()
  for (const start of nodes) {
    const path = new Set<PlacedCategory>()
    let node: PlacedCategory | null = start
    while (node !== null && !settled.has(node) && !path.has(node)) {
      path.add(node)
      node = node.parent
    }
    if (node !== null && path.has(node)) {
      const cycle = [...path].slice([...path].indexOf(node))
      const cut = cycle.reduce((least, member) => (member.row.id < least.row.id ? member : least))
      cut.parent = null
      cut.orphan = true
    }
    for (const visited of path) settled.add(visited)
  }
}

/** The parent that a request names; null is the top. @throws AppError 400 */
export function readParent<R extends CategoryRecord>(tree: CategoryTree<R>, parentId: number | null) {
  if (parentId === null) return null
  const parent = tree.byId.get(parentId)
  if (parent === undefined) throw invalid(missingRecord('parentId'))
  return parent
}

/** The direct children as the tree shows them: hidden ones too, and orphans at the top. */
export function childrenOf<R extends CategoryRecord>(tree: CategoryTree<R>, parent: PlacedCategory<R> | null) {
  return parent?.children ?? tree.roots
}

/** @throws AppError 409 CATEGORY_CYCLE when the parent is the category itself or one of its descendants */
export function refuseCycle(category: PlacedCategory, parent: PlacedCategory | null): void {
  if (parent !== null && [...ancestorsOf(parent), parent].includes(category)) {
    throw conflict('CATEGORY_CYCLE', 'A category cannot be its own ancestor')
  }
}

/** @throws AppError 409 CHILDREN_DIFFER */
export function refuseOtherChildren(children: PlacedCategory[], ids: number[]): void {
  if (new Set(idsOf(children)).symmetricDifference(new Set(ids)).size === 0) return
  throw conflict('CHILDREN_DIFFER', 'ids must be exactly the direct children of the parent')
}

/** The displayOrder of a new category: last among numbered siblings; unnumbered ones are sorted by name. */
export function nextDisplayOrder(siblings: PlacedCategory[]): number {
  const last = siblings.at(-1)?.row.display_order ?? 0
  return last > 0 ? Math.min(last + 1, MAX_INT) : 0
}

export function idsOf(categories: PlacedCategory[]): number[] {
  return categories.map(({ row }) => row.id)
}

/** The fewest ids that have to move to make one order of the other: all but a longest part that is in the same order in both. */
export function movedIds(before: number[], after: number[]): number[] {
  const placeBefore = new Map(before.map((id, place) => [id, place]))
  type Part = { id: number; place: number; rest: Part | null }
  /** For each length, the part of that length so far whose last place is the smallest. */
  const parts: Part[] = []
  for (const id of after) {
    const place = placeBefore.get(id) ?? 0
    const shorter = parts.findLastIndex((part) => part.place < place)
    parts[shorter + 1] = { id, place, rest: parts[shorter] ?? null }
  }
  const kept = new Set<number>()
  for (let part = parts.at(-1) ?? null; part !== null; part = part.rest) kept.add(part.id)
  return after.filter((id) => !kept.has(id))
}
