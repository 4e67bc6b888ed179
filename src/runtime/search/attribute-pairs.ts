import { attributeKey } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** Counts of products, by the number of a name and by the pair that stands for a value. */
export type AttributeCounts = { byName: Uint32Array; byValue: Uint32Array }

/** How many active products have each pair, and how many values of each name they have. */
export type AttributeUses = { byPair: Uint32Array; values: number[] }

/** @param key of the name @param values how many different ones active products have */
export type IsFacet = (key: string, values: number) => boolean

/** A name in all its spellings. `pairs`: those of each value, by its key. */
type Name = { number: number; key: string; pairs: Map<string, number[]> }

const UNKNOWN = -1

/**
 * Pairs of an attribute's name and value, numbered from 0. Names with the same key are one attribute, values with the same
 * key one value; each spelling is a pair of its own, and the first one stands for the value.
 */
export function createAttributePairs() {
  const names: Name[] = []
  /** By name, as written and by its key. */
  const bySpelling = new Map<string, Name>()
  /** The name and the value of each pair as written. */
  const written = { names: [] as string[], values: [] as string[] }
  /** The number of each pair's name. */
  const nameOf: number[] = []
  /** The pair that stands for each pair's value. */
  const keyOf: number[] = []

  function nameAs(spelling: string): Name {
    const known = bySpelling.get(spelling)
    if (known !== undefined) return known
    const key = attributeKey(spelling)
    const name = bySpelling.get(key) ?? { number: names.length, key, pairs: new Map() }
    if (name.number === names.length) names.push(name)
    bySpelling.set(key, name).set(spelling, name)
    return name
  }

  function pairNumber(name: string, value: string): number {
    const { number, pairs } = nameAs(name)
    const key = attributeKey(value)
    const spellings = pairs.get(key) ?? []
    const known = spellings.find((pair) => written.values[pair] === value && written.names[pair] === name)
    if (known !== undefined) return known
    const pair = written.values.push(value) - 1
    written.names.push(name)
    nameOf.push(number)
    if (spellings.push(pair) === 1) pairs.set(key, spellings)
    keyOf.push(spellings[0] ?? pair)
    return pair
  }

  return {
    /** A product's pairs, grouped by name. */
    numbersOf: (attributes: { name: string; value: string }[]): number[] =>
      attributes.map(({ name, value }) => pairNumber(name, value)).sort((a, b) => (nameOf[a] ?? 0) - (nameOf[b] ?? 0)),
    wantedBy: (filters: AttributeFilter[]): WantedAttribute[] =>
      filters.map((filter) => {
        const name = bySpelling.get(filter.name)
        const isWanted = new Uint8Array(nameOf.length)
        for (const value of filter.values) {
          for (const pair of name?.pairs.get(attributeKey(value)) ?? []) isWanted[pair] = 1
        }
        return { name: name?.number ?? UNKNOWN, isWanted }
      }),
    noCounts: (): AttributeCounts => ({
      byName: new Uint32Array(names.length),
      byValue: new Uint32Array(nameOf.length),
    }),
    /** @param products the pairs of each active product */
    usesIn(products: Iterable<number[]>): AttributeUses {
      const byPair = new Uint32Array(nameOf.length)
      for (const pairs of products) for (const pair of pairs) byPair[pair] = (byPair[pair] ?? 0) + 1
      return { byPair, values: names.map((name) => usedValues(name, byPair).length) }
    },
    /** `products`: how many have any of the values. Names and values are spelled as most active products spell them. */
    facets: ({ byName, byValue }: AttributeCounts, { byPair, values }: AttributeUses, isFacet: IsFacet) =>
      names.flatMap((name, number) => {
        const products = byName[number] ?? 0
        if (products === 0 || !isFacet(name.key, values[number] ?? 0)) return []
        const used = usedValues(name, byPair)
        const counted = used.flatMap((spellings): [string, number][] => {
          const count = byValue[spellings[0] ?? UNKNOWN] ?? 0
          return count === 0 ? [] : [[mostUsed(spellings, written.values, byPair), count]]
        })
        return { name: mostUsed(used.flat(), written.names, byPair), products, values: new Map(counted) }
      }),
    nameOf,
    keyOf,
  }
}

/** The spellings of each value that products have. */
function usedValues({ pairs }: Name, uses: Uint32Array): number[][] {
  return [...pairs.values()].filter((spellings) => spellings.some((pair) => (uses[pair] ?? 0) > 0))
}

/** The text of most uses; of equals, the one that sorts first. */
function mostUsed(pairs: readonly number[], texts: readonly string[], uses: Uint32Array): string {
  const byText = new Map<string, number>()
  for (const pair of pairs) {
    const text = texts[pair] ?? ''
    byText.set(text, (byText.get(text) ?? 0) + (uses[pair] ?? 0))
  }
  const [[most] = ['']] = [...byText].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return most
}
