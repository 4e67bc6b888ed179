export type Placing = {
  /** At least the mapped categories of the supplier feed and their ancestors. */
  feed: { id: string; name: string; parentId: string | null }[]
  /** Feed category id → shop category id. */
  mappings: ReadonlyMap<string, number>
  /** All categories of the shop. */
  categories: { id: number; parentId: number | null }[]
}

/** A mapped category's new name and parent. */
export type Placement = { id: number; name: string; parentId: number | null }

/**
 * Determines names and parents of mapped categories from the supplier feed (docs/pipeline.md): the parent is the nearest
 * mapped ancestor, none at the feed's top level, and unchanged when no ancestor is mapped.
 * @returns `refused`: the number of categories that keep their parent, as the new one would be a descendant
 */
export function placeMapped({ feed, mappings, categories }: Placing): {
  placements: Placement[]
  refused: number
} {
  const byId = new Map(feed.map((category) => [category.id, category]))
  const present = new Map(categories.map(({ id, parentId }) => [id, parentId]))
  const parents = new Map(present)
  const mapped: { id: number; name: string }[] = []
  for (const [feedId, id] of mappings) {
    const category = byId.get(feedId)
    if (category === undefined || !present.has(id)) continue
    mapped.push({ id, name: category.name })
    const parent = mappedAncestor(category.parentId)
    if (parent !== undefined) parents.set(id, parent)
  }

  /** @returns null for the top level, undefined when no ancestor is mapped */
  function mappedAncestor(parentId: string | null): number | null | undefined {
    const seen = new Set<string>()
    for (let at = parentId; at !== null; at = byId.get(at)?.parentId ?? null) {
      const ours = mappings.get(at)
      if (ours !== undefined && present.has(ours)) return ours
      if (seen.has(at) || !byId.has(at)) return undefined
      seen.add(at)
    }
    return parentId === null ? null : undefined
  }

  function isInCycle(id: number): boolean {
    const seen = new Set<number>()
    for (let at = parents.get(id) ?? null; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
      if (at === id) return true
      seen.add(at)
    }
    return false
  }

  const refused = new Set<number>()
  // Restoring one parent may close a cycle through a category that was checked before.
  for (let changed = true; changed; ) {
    changed = false
    for (const { id } of mapped) {
      const before = present.get(id) ?? null
      if (parents.get(id) === before || !isInCycle(id)) continue
      parents.set(id, before)
      refused.add(id)
      changed = true
    }
  }
  const placements = mapped.map(({ id, name }) => ({ id, name, parentId: parents.get(id) ?? null }))
  return { placements, refused: refused.size }
}
