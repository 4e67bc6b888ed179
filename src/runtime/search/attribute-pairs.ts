import { attributeKey } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** How active products spell names, by number, and values, by the pair that stands for each; and the values of each name. */
export type Spellings = {
  names: ReadonlyMap<number, string>
  values: ReadonlyMap<number, string>
  valuesOf: ReadonlyMap<number, number[]>
}

const UNKNOWN = -1

/**
 * Pairs of an attribute's name and value, numbered from 0. Names with the same key are one attribute, values with the same
 * key one value; each spelling is a pair of its own, and the first one stands for the value.
 */
export function createAttributePairs() {
  /** By name, as written and by its key. */
  const nameNumbers = new Map<string, number>()
  /** All pairs of a value, by the number of the name and the key of the value. */
  const byValue = new Map<string, number[]>()
  /** The number of each pair's name. */
  const nameOf: number[] = []
  /** The pair that stands for each pair's value. */
  const keyOf: number[] = []
  const names: string[] = []
  const values: string[] = []
  let nameCount = 0

  function nameNumber(name: string): number {
    const known = nameNumbers.get(name)
    if (known !== undefined) return known
    const key = attributeKey(name)
    const number = nameNumbers.get(key) ?? nameCount++
    nameNumbers.set(key, number).set(name, number)
    return number
  }

  function pairNumber(name: string, value: string): number {
    const number = nameNumber(name)
    const text = `${number} ${attributeKey(value)}`
    const spellings = byValue.get(text) ?? []
    const known = spellings.find((pair) => values[pair] === value && names[pair] === name)
    if (known !== undefined) return known
    const pair = values.push(value) - 1
    names.push(name)
    nameOf.push(number)
    keyOf.push(spellings[0] ?? pair)
    byValue.set(text, [...spellings, pair])
    return pair
  }

  return {
    /** A product's pairs, grouped by name. */
    numbersOf: (attributes: { name: string; value: string }[]): number[] =>
      attributes.map(({ name, value }) => pairNumber(name, value)).sort((a, b) => (nameOf[a] ?? 0) - (nameOf[b] ?? 0)),
    wantedBy: (filters: AttributeFilter[]): WantedAttribute[] =>
      filters.map((filter) => {
        const name = nameNumbers.get(filter.name) ?? UNKNOWN
        const isWanted = new Uint8Array(values.length)
        for (const value of filter.values) {
          for (const pair of byValue.get(`${name} ${attributeKey(value)}`) ?? []) isWanted[pair] = 1
        }
        return { name, isWanted }
      }),
    /** @param products the pairs of each active product */
    spellingsIn(products: Iterable<number[]>): Spellings {
      const counts = new Uint32Array(values.length)
      for (const pairs of products) for (const pair of pairs) counts[pair] = (counts[pair] ?? 0) + 1
      const spelled = mostUsed(keyOf, values, counts)
      const valuesOf = Map.groupBy(spelled.keys(), (key) => nameOf[key] ?? UNKNOWN)
      return { names: mostUsed(nameOf, names, counts), values: spelled, valuesOf }
    },
    get count() {
      return values.length
    },
    get nameCount() {
      return nameCount
    },
    nameOf,
    keyOf,
  }
}

/** Of each group of texts the one used most; of equals, the one that sorts first. */
function mostUsed(groups: readonly number[], texts: readonly string[], counts: Uint32Array): Map<number, string> {
  const byGroup = new Map<number, Map<string, number>>()
  for (const [pair, text] of texts.entries()) {
    const count = counts[pair] ?? 0
    if (count === 0) continue
    const group = groups[pair] ?? UNKNOWN
    const uses = byGroup.get(group) ?? new Map<string, number>()
    byGroup.set(group, uses.set(text, (uses.get(text) ?? 0) + count))
  }
  const most = (uses: Map<string, number>) => {
    const [[text] = ['']] = [...uses].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    return text
  }
  return new Map([...byGroup].map(([group, uses]) => [group, most(uses)]))
}
