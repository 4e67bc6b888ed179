import { attributeKey, type Quantity, readQuantity } from '../../rules/catalogue/attributes.ts'
import type { AttributeFilter } from '../../rules/catalogue/product-filter.ts'

/** Names with the same key are one attribute (docs/search.md). `used`: the number of values that active products have. */
type AttributeName = { number: number; key: string; values: Map<string, AttributeValue>; used: number }

/** Values of an attribute with the same key are one value. `uses`: the number of active products that have it. */
export type AttributeValue = {
  number: number
  name: AttributeName
  /** Null: not a number. */
  quantity: Quantity | null
  spellings: AttributePair[]
  uses: number
}

/** A name and a value as products write them. */
export type AttributePair = {
  value: AttributeValue
  /** Numbers, with which counting doesn't have to look further. */
  nameNumber: number
  valueNumber: number
  writtenName: string
  writtenValue: string
  uses: number
}

/** @param key of the name @param values how many different ones active products have */
export type IsFacet = (key: string, values: number) => boolean

/** The attributes of all products in the index. */
export function createAttributes() {
  const names: AttributeName[] = []
  const byKey = new Map<string, AttributeName>()
  /** By name and value as written. */
  const pairs = new Map<string, Map<string, AttributePair>>()
  let valueCount = 0

  function nameOf(key: string): AttributeName {
    const known = byKey.get(key)
    if (known !== undefined) return known
    const name = { number: names.length, key, values: new Map(), used: 0 }
    names.push(name)
    byKey.set(key, name)
    return name
  }

  function addPair(writtenName: string, writtenValue: string): AttributePair {
    const name = nameOf(attributeKey(writtenName))
    const key = attributeKey(writtenValue)
    const value = name.values.get(key) ?? {
      number: valueCount++,
      name,
      quantity: readQuantity(key),
      spellings: [],
      uses: 0,
    }
    name.values.set(key, value)
    const numbers = { nameNumber: name.number, valueNumber: value.number }
    const pair = { value, ...numbers, writtenName, writtenValue, uses: 0 }
    value.spellings.push(pair)
    return pair
  }

  return {
    /** A product's pairs, grouped by name. */
    pairsOf(attributes: { name: string; value: string }[]): AttributePair[] {
      const own = attributes.map(({ name, value }) => {
        const named = pairs.get(name) ?? new Map<string, AttributePair>()
        pairs.set(name, named)
        const pair = named.get(value) ?? addPair(name, value)
        named.set(value, pair)
        return pair
      })
      return own.sort((a, b) => a.nameNumber - b.nameNumber)
    },
    /** Counts that an active product has got these pairs, or has them no longer. */
    countUses(own: AttributePair[], by: 1 | -1): void {
      for (const pair of own) {
        const { value } = pair
        const wasUsed = value.uses > 0
        pair.uses += by
        value.uses += by
        if (wasUsed !== value.uses > 0) value.name.used += by
      }
    },
    /** The values that satisfy each of the filters. */
    valuesOf: (filters: AttributeFilter[]): Set<AttributeValue>[] =>
      filters.map(({ name, values, min, max }) => {
        const known = byKey.get(attributeKey(name))?.values
        if (known === undefined) return new Set()
        const named =
          values.length === 0 ? [...known.values()] : values.flatMap((one) => known.get(attributeKey(one)) ?? [])
        return new Set(named.filter(({ quantity }) => isWithin(quantity, min, max)))
      }),
    /** Counts products by name and value. @param isCounted takes the key of a name */
    createCounter() {
      const byName = new Uint32Array(names.length)
      const byValue = new Uint32Array(valueCount)
      return {
        count(products: Iterable<{ attributes: AttributePair[] }>, isCounted: (name: string) => boolean): void {
          const counted = names.map(({ key }) => isCounted(key))
          for (const { attributes } of products) {
            let previous = -1
            for (const { nameNumber, valueNumber } of attributes) {
              if (!counted[nameNumber]) continue
              byValue[valueNumber] = (byValue[valueNumber] ?? 0) + 1
              if (nameNumber !== previous) byName[nameNumber] = (byName[nameNumber] ?? 0) + 1
              previous = nameNumber
            }
          }
        },
        /** `products`: how many have any of the values. Names and values are spelled as most active products spell them. */
        facets: (isFacet: IsFacet) =>
          names.flatMap(({ number, key, values, used }) => {
            const products = byName[number] ?? 0
            if (products === 0 || !isFacet(key, used)) return []
            const all = [...values.values()]
            const counted = all.flatMap((value): [string, number][] => {
              const count = byValue[value.number] ?? 0
              return count === 0 ? [] : [[mostUsed(value.spellings, 'writtenValue'), count]]
            })
            const spellings = all.flatMap((value) => value.spellings)
            const range = rangeOf(all, ({ number }) => (byValue[number] ?? 0) > 0)
            return { name: mostUsed(spellings, 'writtenName'), products, values: new Map(counted), range }
          }),
      }
    },
  }
}

function isWithin(quantity: Quantity | null, min: number | null, max: number | null): boolean {
  if (min === null && max === null) return true
  return quantity !== null && quantity.number >= (min ?? -Infinity) && quantity.number <= (max ?? Infinity)
}

/** The least and the greatest of the counted values; null unless all that active products have are numbers of one unit. */
function rangeOf(values: AttributeValue[], isCounted: (value: AttributeValue) => boolean) {
  const used = values.filter(({ uses }) => uses > 0)
  const units = new Set(used.map(({ quantity }) => quantity?.unit))
  if (units.size !== 1 || units.has(undefined)) return null
  const numbers = used.filter(isCounted).flatMap(({ quantity }) => quantity?.number ?? [])
  if (numbers.length === 0) return null
  return { min: numbers.reduce((a, b) => Math.min(a, b)), max: numbers.reduce((a, b) => Math.max(a, b)) }
}

/** The text of most uses; of equals, the one that sorts first. */
function mostUsed(pairs: AttributePair[], text: 'writtenName' | 'writtenValue'): string {
  const uses = new Map<string, number>()
  for (const pair of pairs) uses.set(pair[text], (uses.get(pair[text]) ?? 0) + pair.uses)
  const [[most] = ['']] = [...uses].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  return most
}
