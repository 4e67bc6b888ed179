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
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const least = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
