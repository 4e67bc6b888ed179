/** The number of typing errors to correct in a word of this length (contract section 4, "search"). */
export function errorsAllowed(word: string): 0 | 1 | 2 {
  const { length } = [...word]
  if (length < 3 || !/\p{L}/u.test(word)) return 0
  return length < 8 || /\p{N}/u.test(word) ? 1 : 2
}

/** The number of typing errors; infinite above `max`. */
export function errorsWithin(max: number, searched: string, word: string): number {
  if (Math.abs(searched.length - word.length) > max) return Number.POSITIVE_INFINITY
  const errors = typingErrors(searched, word)
  return errors > max ? Number.POSITIVE_INFINITY : errors
}

/** Counts dropped, added, replaced and swapped neighbouring letters (optimal string alignment distance). */
export function typingErrors(a: string, b: string): number {
  // A common beginning or end has no errors.
  let [begin, endA, endB] = [0, a.length, b.length]
  while (begin < endA && begin < endB && a.charCodeAt(begin) === b.charCodeAt(begin)) begin++
  while (endA > begin && endB > begin && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  const [height, width] = [endA - begin, endB - begin]
  if (height === 0 || width === 0) return Math.max(height, width)
  let beforeLast: number[] = []
  let last = Array.from({ length: width + 1 }, (_, j) => j)
  for (let i = 1; i <= height; i++) {
    const row = [i]
    const letter = a.charCodeAt(begin + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(begin + j - 1)
      let least = (last[j - 1] ?? 0) + (letter === other ? 0 : 1)
      least = Math.min(least, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(begin + j - 2) && other === a.charCodeAt(begin + i - 2)
      row.push(swapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least)
    }
    beforeLast = last
    last = row
  }
  return last[width] ?? 0
}
