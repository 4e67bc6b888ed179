import { attributeKey } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** How many active products have an attribute, and how many values of it. */
export type AttributeUse = { name: string; products: number; values: number }

const UNKNOWN = -1

/**
 * Pairs of an attribute's name and value, numbered from 0. Names with the same key are one attribute, values with the same
 * key one value; each spelling is a pair of its own, and the first one stands for the value.
 */
export function createAttributePairs() {
  /** By name, as written and by its key. */
  const nameNumbers = new Map<string, number>()
  /** By the number of the name. `spellings`: how many active products use each. */
  const named: { spellings: Map<string, number>; products: number; values: number }[] = []
  /** The pair that stands for a value, by the number of the name and the key of the value. */
  const byKey = new Map<string, number>()
  /** The number of each pair's name. */
  const nameOf: number[] = []
  /** The pair that stands for each pair's value. */
  const keyOf: number[] = []
  const names: string[] = []
  const values: string[] = []
  const uses: number[] = []
  /** Active products with the value in any spelling, by the pair that stands for it. */
  const valueUses: number[] = []
  /** All pairs of a value with several spellings, by the one that stands for it. */
  const spellings = new Map<number, number[]>()

  function nameNumber(name: string): number {
    const known = nameNumbers.get(name)
    if (known !== undefined) return known
    const key = attributeKey(name)
    const number = nameNumbers.get(key) ?? named.push({ spellings: new Map(), products: 0, values: 0 }) - 1
    nameNumbers.set(key, number).set(name, number)
    return number
  }

  function pairNumber(name: string, value: string): number {
    const number = nameNumber(name)
    const text = `${number} ${attributeKey(value)}`
    const key = byKey.get(text)
    const isSame = (pair: number) => values[pair] === value && names[pair] === name
    const known = key === undefined ? undefined : spellingsOf(key).find(isSame)
    if (known !== undefined) return known
    const pair = values.push(value) - 1
    names.push(name)
    nameOf.push(number)
    keyOf.push(key ?? pair)
    uses.push(0)
    valueUses.push(0)
    if (key === undefined) byKey.set(text, pair)
    else spellings.set(key, [...spellingsOf(key), pair])
    return pair
  }

  const keyOfPair = (pair: number) => keyOf[pair] ?? UNKNOWN
  const useOf = (number: number): AttributeUse => {
    const { spellings = new Map(), products = 0, values = 0 } = named[number] ?? {}
    return { name: mostUsed(spellings), products, values }
  }
  const spellingsOf = (key: number) => spellings.get(key) ?? [key]

  return {
    /** A product's pairs, grouped by name. */
    numbersOf: (attributes: { name: string; value: string }[]): number[] =>
      attributes.map(({ name, value }) => pairNumber(name, value)).sort((a, b) => (nameOf[a] ?? 0) - (nameOf[b] ?? 0)),
    wantedBy: (filters: AttributeFilter[]): WantedAttribute[] =>
      filters.map((filter) => {
        const name = nameNumbers.get(filter.name) ?? UNKNOWN
        const isWanted = new Uint8Array(values.length)
        for (const value of filter.values) {
          const key = byKey.get(`${name} ${attributeKey(value)}`)
          if (key !== undefined) for (const pair of spellingsOf(key)) isWanted[pair] = 1
        }
        return { name, isWanted }
      }),
    /** Adds a product to the uses of its pairs, or removes it. */
    use(pairs: Iterable<number>, change: 1 | -1): void {
      let previous = UNKNOWN
      for (const pair of pairs) {
        const [key, number] = [keyOfPair(pair), nameOf[pair] ?? UNKNOWN]
        const use = named[number]
        if (use === undefined) continue
        const before = valueUses[key] ?? 0
        uses[pair] = (uses[pair] ?? 0) + change
        valueUses[key] = before + change
        if (before === 0 || before + change === 0) use.values += change
        if (number !== previous) {
          use.products += change
          addTo(use.spellings, names[pair] ?? '', change)
        }
        previous = number
      }
    },
    uses: (): AttributeUse[] => named.map((_, number) => useOf(number)).filter(({ products }) => products > 0),
    get count() {
      return values.length
    },
    get nameCount() {
      return named.length
    },
    nameOf,
    keyOf,
    useOf,
    /** The value as most active products spell it. @param key the pair that stands for it */
    spellingOf(key: number): string {
      const counts = new Map<string, number>()
      for (const pair of spellingsOf(key)) addTo(counts, values[pair] ?? '', uses[pair] ?? 0)
      return mostUsed(counts)
    },
  }
}

function addTo(counts: Map<string, number>, text: string, change: number): void {
  counts.set(text, (counts.get(text) ?? 0) + change)
}

/** The text with the highest count; of equals, the one that sorts first. */
function mostUsed(counts: Map<string, number>): string {
  let [most, highest] = ['', Number.NEGATIVE_INFINITY]
  for (const [text, count] of counts)
    if (count > highest || (count === highest && text < most)) [most, highest] = [text, count]
  return most
}
