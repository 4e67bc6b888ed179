/** Ten times what a page of 100 products with 500 attributes each has. */
const MAX_VALUES = 1_000_000

/**
 * Parses an answer, unless that could exhaust the memory or hold the event loop for seconds: 32 MB may be ten million values.
 * @param maxItems limit of a list, whatever its items contain
 * @throws Error if it is too large, or no JSON
 */
export function parseAnswer(json: string, maxItems = Number.POSITIVE_INFINITY): unknown {
  const { items, values } = measure(json)
  if (items > maxItems) throw new Error(`a page of ${items} items is larger than ${maxItems}`)
  if (values > MAX_VALUES) throw new Error(`an answer of ${values} values is larger than ${MAX_VALUES}`)
  return JSON.parse(json)
}

/** Counts the items of a list in a JSON object, and about all values, without parsing it. Meaningless for invalid JSON. */
export function measure(json: string): { items: number; values: number } {
  let items = 1
  let values = 1
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (character === '\\') at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '[' || character === '{') {
      depth += 1
      values += 1
    } else if (character === ']' || character === '}') depth -= 1
    else if (character === ',') {
      values += 1
      if (depth === 2) items += 1
    }
  }
  return { items, values }
}
