import { refuse } from '../../errors.ts'
import { fold, foldScripts, isCyrillic } from '../fold.ts'
import { readName, toNfc } from '../text.ts'

export const ATTRIBUTE_SOURCES = ['EXTERNAL', 'MANUAL'] as const

export type Attribute = { name: string; value: string; source: (typeof ATTRIBUTE_SOURCES)[number] }

/** Attributes of the XML feed are stored apart from those of the supplier's API, so that neither source deletes the other's. */
export type StoredAttribute = { name: string; value: string; source: Attribute['source'] | 'FEED' }

/** The key by which names and values are compared. The database's function `attribute_key` does the same. */
export function attributeKey(value: string): string {
  const folded = fold(value)
  return isCyrillic(folded) ? folded.replace(/[^ ]+/g, foldScripts) : folded
}

/** A value that is a number, with its unit; '' for none. */
export type Quantity = { number: number; unit: string }

/** Reads the number of a value by its key: `1400 вт`, `0.5`; null if it is none. */
export function readQuantity(key: string): Quantity | null {
  const [, number, unit = ''] = /^(-?\d{1,15}(?:\.\d{1,15})?)(?: ?([^\d\s.-][^\d]*))?$/.exec(key) ?? []
  return number === undefined ? null : { number: Number(number), unit }
}

/**
 * The attributes of a product's card (docs/catalogue.md): the supplier's, then those of the feed that the supplier doesn't
 * have, both replaced by MANUAL ones of the same name, then the other MANUAL ones.
 * @param stored each source ordered by position
 */
export function mergeAttributes(stored: StoredAttribute[]): Attribute[] {
  const merged = stored.every(({ source }) => source === 'EXTERNAL') ? stored : mergeSources(stored)
  return withoutRepeats(merged).map(({ source, ...same }) => ({
    ...same,
    source: source === 'FEED' ? 'EXTERNAL' : source,
  }))
}

function mergeSources(stored: StoredAttribute[]): StoredAttribute[] {
  const { EXTERNAL = [], FEED = [], MANUAL = [] } = Object.groupBy(stored, ({ source }) => source)
  const named = new Set(EXTERNAL.map(keyOfName))
  const fromFeed = FEED.filter((attribute) => !named.has(keyOfName(attribute)))
  const manual = Map.groupBy(MANUAL, keyOfName)
  // Taken out, so that a name that the supplier repeats is replaced once.
  const merged = [...EXTERNAL, ...fromFeed].flatMap(
    (attribute) => manual.get(keyOfName(attribute))?.splice(0) ?? attribute,
  )
  return [...merged, ...[...manual.values()].flat()]
}

function keyOfName({ name }: { name: string }): string {
  return attributeKey(name)
}

/** Drops values that differ in spelling only: a rule may give two attributes of a product the same name. */
function withoutRepeats(attributes: StoredAttribute[]): StoredAttribute[] {
  if (new Set(attributes.map(keyOfName)).size === attributes.length) return attributes
  const seen = new Set<string>()
  return attributes.filter(({ name, value }) => {
    const key = JSON.stringify([attributeKey(name), attributeKey(value)])
    return !seen.has(key) && seen.add(key)
  })
}

/** Normalises MANUAL attributes, of which some indices may be missing. @throws AppError 400 that lists repeated names */
export function readAttributes(input: { [index: number]: { name: string; value: string } }) {
  const attributes = Object.entries(input).map(([index, { name, value }]) => ({
    path: `${index}.name`,
    name: readName(name),
    value: toNfc(value.trim()),
  }))
  const byName = Map.groupBy(attributes, keyOfName)
  const repeated = [...byName.values()].filter(({ length }) => length > 1).flat()
  refuse(repeated.map(({ path }) => ({ path, code: 'REPEATED' })))
  return attributes
}

/** Staff's settings of an attribute; null means the default. */
export type AttributeSettings = { filterable: boolean | null; position: number | null; unit: string | null }

const MIN_VALUES = 2
const MAX_VALUES = 100

/** Whether an attribute is a facet (docs/catalogue.md). @param values how many different values active products have */
export function isFilterable(settings: AttributeSettings | undefined, values: number): boolean {
  return settings?.filterable ?? (values >= MIN_VALUES && values <= MAX_VALUES)
}

type Ordered = { name: string; products: number; position: number | null }

/** Compares attributes as facets show them: by position, then by products; those without a position last. */
export function compareAttributes(a: Ordered, b: Ordered): number {
  if (a.position !== b.position) {
    return (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY)
  }
  return b.products - a.products || (a.name < b.name ? -1 : 1)
}
