import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

export const ATTRIBUTE_SOURCES = ['EXTERNAL', 'MANUAL'] as const

export type Attribute = { name: string; value: string; source: (typeof ATTRIBUTE_SOURCES)[number] }

/** What the supplier's XML feed says is kept apart from what his stock system says, so that neither takes the other's away. */
export type StoredAttribute = { name: string; value: string; source: Attribute['source'] | 'FEED' }

/**
 * What a product's card shows: the supplier's attributes in their order, those of his feed behind them unless there is
 * one of that name, each replaced by the MANUAL one of its name if there is one, then the MANUAL ones that replace
 * nothing (contract section 4).
 * @param stored of each source in the order of its positions
 */
export function mergeAttributes(stored: StoredAttribute[]): Attribute[] {
  // Of most products there is nothing to merge.
  if (stored.every(isExternal)) return stored
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

function isExternal(attribute: StoredAttribute): attribute is Attribute {
  return attribute.source === 'EXTERNAL'
}

/**
 * The MANUAL attributes that staff give a product: names on one line, values without blanks at their ends.
 * @throws AppError 400 that names what is blank, and each of those that share a name
 */
export function readAttributes(input: { name: string; value: string }[]): { name: string; value: string }[] {
  const attributes = input.map(({ name, value }) => ({
    name: oneLine(name).normalize(),
    value: value.trim().normalize(),
  }))
  const byName = Map.groupBy(attributes, ({ name }) => name)
  const details = attributes.flatMap(({ name, value }, index) => [
    ...(name === '' ? [{ path: `${index}.name`, message: 'must not be empty' }] : []),
    ...(value === '' ? [{ path: `${index}.value`, message: 'must not be empty' }] : []),
    ...(name !== '' && (byName.get(name)?.length ?? 0) > 1
      ? [{ path: `${index}.name`, message: 'is there more than once' }]
      : []),
  ])
  if (details.length > 0) throw invalid(...details)
  return attributes
}
