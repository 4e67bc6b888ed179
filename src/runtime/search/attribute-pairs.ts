import { attributeKey } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** An attribute over all active products. */
export type AttributeUse = { name: string; products: number; values: number }

const UNKNOWN = -1

/**
 * Pairs of an attribute's name and value, numbered from 0. Values with the same key are one value in several writings,
 * each a pair of its own; the first one stands for the value.
 */
export function createAttributePairs() {
  const nameNumbers = new Map<string, number>()
  /** By name. */
  const named: AttributeUse[] = []
  /** The pair that stands for a value, by the number of the name and the key of the value. */
  const byKey = new Map<string, number>()
  /** By pair. */
  const nameOf: number[] = []
  /** The pair that stands for the value of each. */
  const keyOf: number[] = []
  const values: string[] = []
  const uses: number[] = []
  /** Active products with the value in any writing, by the pair that stands for it. */
  const valueUses: number[] = []
  /** The writings of values that have several. */
  const writings = new Map<number, number[]>()

  function nameNumber(name: string): number {
    const known = nameNumbers.get(name)
    if (known !== undefined) return known
    nameNumbers.set(name, named.length)
    return named.push({ name, products: 0, values: 0 }) - 1
  }

  function pairNumber(name: number, value: string): number {
    const text = `${name} ${attributeKey(value)}`
    const key = byKey.get(text)
    const known = key === undefined ? undefined : writingsOf(key).find((pair) => values[pair] === value)
    if (known !== undefined) return known
    const number = values.push(value) - 1
    nameOf.push(name)
    keyOf.push(key ?? number)
    uses.push(0)
    valueUses.push(0)
    if (key === undefined) byKey.set(text, number)
    else writings.set(key, [...writingsOf(key), number])
    return number
  }

  const keyOfPair = (pair: number) => keyOf[pair] ?? UNKNOWN
  const useOf = (name: number): AttributeUse => named[name] ?? { name: '', products: 0, values: 0 }
  const writingsOf = (key: number) => writings.get(key) ?? [key]

  return {
    /** The pairs of a product, those of a name together; of several writings of a value the first one. */
    numbersOf(attributes: [name: string, value: string][]): number[] {
      const byKey = new Map<number, number>()
      for (const [name, value] of attributes) {
        const pair = pairNumber(nameNumber(name), value)
        if (!byKey.has(keyOfPair(pair))) byKey.set(keyOfPair(pair), pair)
      }
      return [...byKey.values()].sort((a, b) => (nameOf[a] ?? 0) - (nameOf[b] ?? 0))
    },
    wantedBy: (filters: AttributeFilter[]): WantedAttribute[] =>
      filters.map((filter) => {
        const name = nameNumbers.get(filter.name) ?? UNKNOWN
        const isWanted = new Uint8Array(values.length)
        for (const value of filter.values) {
          const key = byKey.get(`${name} ${attributeKey(value)}`)
          if (key !== undefined) for (const pair of writingsOf(key)) isWanted[pair] = 1
        }
        return { name, isWanted }
      }),
    /** Adds a product to the uses of its pairs, or removes it. */
    use(pairs: Iterable<number>, change: 1 | -1): void {
      let previous = UNKNOWN
      for (const pair of pairs) {
        const [key, name] = [keyOfPair(pair), nameOf[pair] ?? UNKNOWN]
        const use = useOf(name)
        const before = valueUses[key] ?? 0
        uses[pair] = (uses[pair] ?? 0) + change
        valueUses[key] = before + change
        if (before === 0 || before + change === 0) use.values += change
        if (name !== previous) use.products += change
        previous = name
      }
    },
    uses: (): AttributeUse[] => named.filter(({ products }) => products > 0),
    get count() {
      return values.length
    },
    get nameCount() {
      return named.length
    },
    nameOf,
    keyOf,
    useOf,
    /** The value as most active products write it. @param key the pair that stands for it */
    writingOf(key: number): string {
      const most = writingsOf(key).reduce((best, pair) => (isBefore(pair, best) ? pair : best))
      return values[most] ?? ''
    },
  }

  /** More products use it; of equals, the text that sorts first. */
  function isBefore(one: number, other: number): boolean {
    const difference = (uses[one] ?? 0) - (uses[other] ?? 0)
    return difference === 0 ? (values[one] ?? '') < (values[other] ?? '') : difference > 0
  }
}
