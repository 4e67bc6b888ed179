import { attributeKey } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** How many active products have each pair, and how many values of each name they have. */
export type AttributeUses = { byPair: Uint32Array; values: Uint32Array }

const UNKNOWN = -1

export type AttributePairs = ReturnType<typeof createAttributePairs>

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
  /** All pairs of each pair's value. */
  const spellingsOf: number[][] = []
  /** By name, the pairs that stand for its values. */
  const keysOf: number[][] = []
  const names: string[] = []
  const values: string[] = []

  function nameNumber(name: string): number {
    const known = nameNumbers.get(name)
    if (known !== undefined) return known
    const key = attributeKey(name)
    const number = nameNumbers.get(key) ?? keysOf.push([]) - 1
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
    if (spellings.push(pair) === 1) {
      byValue.set(text, spellings)
      keysOf[number]?.push(pair)
    }
    spellingsOf.push(spellings)
    keyOf.push(spellings[0] ?? pair)
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
    usesIn(products: Iterable<number[]>): AttributeUses {
      const byPair = new Uint32Array(values.length)
      for (const pairs of products) for (const pair of pairs) byPair[pair] = (byPair[pair] ?? 0) + 1
      const used = new Uint8Array(values.length)
      const counts = new Uint32Array(keysOf.length)
      for (const [pair, key] of keyOf.entries()) {
        if (byPair[pair] === 0 || used[key] === 1) continue
        used[key] = 1
        const name = nameOf[key] ?? 0
        counts[name] = (counts[name] ?? 0) + 1
      }
      return { byPair, values: counts }
    },
    /** A spelling of the name, any one. */
    nameAt: (number: number): string => names[keysOf[number]?.[0] ?? UNKNOWN] ?? '',
    /** The name as most products write it. */
    spellName: (number: number, { byPair }: AttributeUses): string =>
      mostUsed(
        (keysOf[number] ?? []).flatMap((key) => spellingsOf[key] ?? []),
        names,
        byPair,
      ),
    /** The value that the pair stands for, as most products write it. */
    spellValue: (key: number, { byPair }: AttributeUses): string => mostUsed(spellingsOf[key] ?? [], values, byPair),
    get count() {
      return values.length
    },
    nameOf,
    keyOf,
    keysOf,
  }
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
