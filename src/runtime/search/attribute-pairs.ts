import type { AttributeFilter } from '../../rules/catalogue/attribute-filter.ts'

/** An attribute of a filter: the number of its name, and 1 at the number of each pair that satisfies it. */
export type WantedAttribute = { name: number; isWanted: Uint8Array }

/** Pairs of an attribute's name and value, numbered from 0. */
export type AttributePairs = {
  numbersOf(attributes: [name: string, value: string][]): number[]
  wantedBy(filters: AttributeFilter[]): WantedAttribute[]
  readonly count: number
  /** The number of each pair's name. */
  readonly nameOf: readonly number[]
  textOf(pair: number): { name: string; value: string }
}

const UNKNOWN = -1

export function createAttributePairs(): AttributePairs {
  const names: string[] = []
  const nameNumbers = new Map<string, number>()
  const nameOf: number[] = []
  const values: string[] = []
  const pairNumbers = new Map<string, number>()

  function nameNumber(name: string): number {
    const known = nameNumbers.get(name)
    if (known !== undefined) return known
    nameNumbers.set(name, names.length)
    return names.push(name) - 1
  }

  function pairNumber([name, value]: [string, string]): number {
    const key = `${nameNumber(name)} ${value}`
    const known = pairNumbers.get(key)
    if (known !== undefined) return known
    pairNumbers.set(key, values.length)
    nameOf.push(nameNumber(name))
    return values.push(value) - 1
  }

  return {
    numbersOf: (attributes) => [...new Set(attributes.map(pairNumber))],
    wantedBy: (filters) =>
      filters.map((filter) => {
        const name = nameNumbers.get(filter.name) ?? UNKNOWN
        const isWanted = new Uint8Array(values.length)
        for (const value of filter.values) {
          const pair = pairNumbers.get(`${name} ${value}`)
          if (pair !== undefined) isWanted[pair] = 1
        }
        return { name, isWanted }
      }),
    get count() {
      return values.length
    },
    nameOf,
    textOf: (pair) => ({ name: names[nameOf[pair] ?? UNKNOWN] ?? '', value: values[pair] ?? '' }),
  }
}
