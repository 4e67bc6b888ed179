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
    switch (json[at]) {
      case '"':
        at = endOfString(json, at)
        break
      case ',':
        if (inList && depth === 2) items += 1
        break
      case '[':
      case '{':
        depth += 1
        if (depth === 2) {
          inList = json[at] === '['
          items = 1
        }
        break
      case ']':
      case '}':
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
    while (json[end - 1 - escapes] === '\\') escapes += 1
    if (escapes % 2 === 0) return end
  }
  return json.length
}
