import { invalid } from '../../errors.ts'
import { oneLine } from '../text.ts'

export const ATTRIBUTE_SOURCES = ['EXTERNAL', 'MANUAL'] as const

export type Attribute = { name: string; value: string; source: (typeof ATTRIBUTE_SOURCES)[number] }

/** Attributes of the XML feed are stored apart from those of the supplier's API, so that neither source deletes the other's. */
export type StoredAttribute = { name: string; value: string; source: Attribute['source'] | 'FEED' }

/** What values are compared by (contract section 4): without case, ё as е, with single spaces. */
export function attributeKey(value: string): string {
  return value.replace(/\s+/g, ' ').toLowerCase().replaceAll('ё', 'е')
}

/**
 * The attributes of a product's card (contract section 4): the supplier's, then the feed's whose names are new, each
 * replaced by the MANUAL ones of its name, then the other MANUAL ones.
 * @param stored each source ordered by position
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
  return withoutRepeats([...merged, ...[...manual.values()].flat()])
}

/** Leaves out other writings of a value: a rule may give two attributes of a product one name. */
function withoutRepeats(attributes: Attribute[]): Attribute[] {
  if (new Set(attributes.map(({ name }) => name)).size === attributes.length) return attributes
  const seen = new Set<string>()
  return attributes.filter(({ name, value }) => {
    const key = JSON.stringify([name, attributeKey(value)])
    return !seen.has(key) && seen.add(key)
  })
}

/** Normalizes MANUAL attributes. @throws AppError 400 that names blank ones and repeated names */
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
      ? [{ path: `${index}.name`, message: 'is repeated' }]
      : []),
  ])
  if (details.length > 0) throw invalid(...details)
  return attributes
}
