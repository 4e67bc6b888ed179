export const ATTRIBUTE_SOURCES = ['EXTERNAL', 'MANUAL'] as const

export type Attribute = { name: string; value: string; source: (typeof ATTRIBUTE_SOURCES)[number] }

/**
 * What a product's card shows: the supplier's attributes in their order, each replaced by the MANUAL one of its name
 * if there is one, then the MANUAL ones that replace nothing (contract section 4).
 * @param attributes in the order of their positions
 */
export function mergeAttributes(attributes: Attribute[]): Attribute[] {
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
