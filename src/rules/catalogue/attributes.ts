export const ATTRIBUTE_SOURCES = ['EXTERNAL', 'MANUAL'] as const

export type Attribute = { name: string; value: string; source: (typeof ATTRIBUTE_SOURCES)[number] }

/** What the supplier's XML feed says is kept apart from what his stock system says, so that neither takes the other's away. */
export type StoredAttribute = { name: string; value: string; source: Attribute['source'] | 'FEED' }

/**
 * What a product's card shows: the supplier's attributes in their order, those of his feed behind them unless there is
 * one of that name, each replaced by the MANUAL one of its name if there is one, then the MANUAL ones that replace
 * nothing (contract section 4).
 * @param stored in the order of their positions
 */
export function mergeAttributes(stored: StoredAttribute[]): Attribute[] {
  const named = new Set(stored.filter(({ source }) => source === 'EXTERNAL').map(({ name }) => name))
  const fromFeed = stored.filter(({ name, source }) => source === 'FEED' && !named.has(name))
  const attributes = [
    ...stored.flatMap(({ source, ...same }) => (source === 'FEED' ? [] : [{ ...same, source }])),
    ...fromFeed.map((attribute): Attribute => ({ ...attribute, source: 'EXTERNAL' })),
  ]
  const manual = Map.groupBy(
    attributes.filter(({ source }) => source === 'MANUAL'),
    ({ name }) => name,
  )
  const merged: Attribute[] = []
  for (const attribute of attributes) {
    if (attribute.source === 'MANUAL') continue
    const replacement = manual.get(attribute.name)
    if (replacement === undefined) merged.push(attribute)
    else merged.push(...replacement.splice(0))
  }
  return [...merged, ...[...manual.values()].flat()]
}
