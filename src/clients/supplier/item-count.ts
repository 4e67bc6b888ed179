const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Counts the items of the longest array that is a direct property of a JSON object, without parsing it: a list that is too
 * long must cost no memory. The result is undefined for invalid JSON.
 */
export function countItems(json: string): number {
  let max = 0
  let items = 0
  let depth = 0
  let inList = false
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at)
        break
      case COMMA:
        if (inList && depth === 2) items += 1
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1
        if (depth === 2) {
          inList = json.charCodeAt(at) === OPEN_LIST
          items = 1
        }
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth === 2 && inList) max = Math.max(max, items)
        depth -= 1
        break
      default:
    }
  }
  return max
}

/** @param start index of the opening quote @returns index of the closing quote */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}
