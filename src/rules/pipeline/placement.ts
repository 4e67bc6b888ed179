export type Placing = {
  /** The feed's categories that are mapped, and those above them. */
  feed: { id: string; name: string; parentId: string | null }[]
  /** Feed category → ours. */
  mappings: ReadonlyMap<string, number>
  /** All of ours. */
  categories: { id: number; parentId: number | null }[]
}

/** How a mapped category shall be called, and where it shall stand. */
export type Placement = { id: number; name: string; parentId: number | null }

/**
 * Name and place that the feed gives to mapped categories (contract section 9): below the nearest mapped one above it,
 * at the top if it stands at the top of the feed; where nothing above it is mapped, where it is.
 * @returns also the ids of those that stay where they are, since their place would be below themselves
 */
export function placeMapped({ feed, mappings, categories }: Placing): {
  placements: Placement[]
  refused: number[]
} {
  const byId = new Map(feed.map((category) => [category.id, category]))
  const present = new Map(categories.map(({ id, parentId }) => [id, parentId]))
  const parents = new Map(present)
  const mapped: { id: number; name: string }[] = []
  for (const [feedId, id] of mappings) {
    const category = byId.get(feedId)
    if (category === undefined || !present.has(id)) continue
    mapped.push({ id, name: category.name })
    const above = mappedAbove(category.parentId)
    if (above !== undefined) parents.set(id, above)
  }

  /** Null: the top; undefined: nobody knows. */
  function mappedAbove(parentId: string | null): number | null | undefined {
    const seen = new Set<string>()
    for (let at = parentId; at !== null; at = byId.get(at)?.parentId ?? null) {
      const ours = mappings.get(at)
      if (ours !== undefined && present.has(ours)) return ours
      if (seen.has(at) || !byId.has(at)) return undefined
      seen.add(at)
    }
    return parentId === null ? null : undefined
  }

  function isBelowItself(id: number): boolean {
    const seen = new Set<number>()
    for (let at = parents.get(id) ?? null; at !== null && !seen.has(at); at = parents.get(at) ?? null) {
      if (at === id) return true
      seen.add(at)
    }
    return false
  }

  const refused = new Set<number>()
  // Whoever stays may be in the way of one that was looked at before.
  for (let again = true; again; ) {
    again = false
    for (const { id } of mapped) {
      const before = present.get(id) ?? null
      if (parents.get(id) === before || !isBelowItself(id)) continue
      parents.set(id, before)
      refused.add(id)
      again = true
    }
  }
  const placements = mapped.map(({ id, name }) => ({ id, name, parentId: parents.get(id) ?? null }))
  return { placements, refused: [...refused] }
}
