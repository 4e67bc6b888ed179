export type WordIndex = ReturnType<typeof createWordIndex>

/** Whether so many words contain the text that only those that begin with it should match. */
export function isShort(text: string): boolean {
  return [...text].length < GRAM_LENGTH
}

/** Words are indexed by each sequence of this many letters, their beginnings and ends included. */
const GRAM_LENGTH = 3
/** Stand for what is before and after a word, so that a single letter at its edge is part of a sequence. */
const BEFORE = '^^'
const AFTER = '$$'

/** Finds words of letters and digits by parts of them. Words are numbered from 0 as they are added. */
export function createWordIndex() {
  const words: string[] = []
  const byGram = new Map<string, number[]>()

  function find(piece: string, isMatch: (word: string) => boolean): number[] {
    const groups = gramsOf(piece).map((gram) => byGram.get(gram) ?? [])
    const [rarest = []] = groups.sort((a, b) => a.length - b.length)
    return rarest.filter((number) => isMatch(words[number] ?? ''))
  }

  return {
    /** @returns the number of the word, which must be new */
    add(word: string): number {
      const number = words.push(word) - 1
      for (const gram of new Set(gramsOf(BEFORE + word + AFTER))) append(byGram, gram, number)
      return number
    },
    at: (number: number): string => words[number] ?? '',
    /** @param piece not empty */
    beginning: (piece: string) => find(BEFORE + piece, (word) => word.startsWith(piece)),
    /** @param piece not empty */
    ending: (piece: string) => find(piece + AFTER, (word) => word.endsWith(piece)),
    /** @param piece of at least three letters */
    having: (piece: string) => find(piece, (word) => word.includes(piece)),
  }
}

function gramsOf(word: string): string[] {
  const grams: string[] = []
  for (let at = 0; at + GRAM_LENGTH <= word.length; at++) grams.push(word.slice(at, at + GRAM_LENGTH))
  return grams
}

/** Adds a value to those of the key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}
