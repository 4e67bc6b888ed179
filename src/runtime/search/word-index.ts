/** A word of products' names. */
export type Word = {
  text: string
  /** Shared by the grammatical forms of a word; '' for none. */
  stem: string
  sound: string
  /** The products that have it. */
  rows: number[]
}

export type WordIndex = ReturnType<typeof createWordIndex<Word>>

/** Whether so many words contain the text that only those that begin with it should match. */
export function isShort(text: string): boolean {
  return [...text].length < GRAM_LENGTH
}

/** Texts are indexed by each sequence of this many letters, their beginnings and ends included. */
const GRAM_LENGTH = 3
/** Stand for what is before and after a text, so that a single letter at its edge is part of a sequence. */
const BEFORE = '^^'
const AFTER = '$$'

/** Finds entries by parts of their texts, which consist of letters and digits. */
export function createWordIndex<Entry>(textOf: (entry: Entry) => string) {
  const byGram = new Map<string, Entry[]>()

  function find(piece: string, isMatch: (text: string) => boolean): Entry[] {
    const groups = gramsOf(piece).map((gram) => byGram.get(gram) ?? [])
    const [rarest = []] = groups.sort((a, b) => a.length - b.length)
    return rarest.filter((entry) => isMatch(textOf(entry)))
  }

  return {
    add(entry: Entry): void {
      for (const gram of new Set(gramsOf(BEFORE + textOf(entry) + AFTER))) append(byGram, gram, entry)
    },
    /** @param piece not empty */
    beginning: (piece: string) => find(BEFORE + piece, (text) => text.startsWith(piece)),
    /** @param piece not empty */
    ending: (piece: string) => find(piece + AFTER, (text) => text.endsWith(piece)),
    /** @param piece of at least three letters */
    having: (piece: string) => find(piece, (text) => text.includes(piece)),
  }
}

function gramsOf(text: string): string[] {
  const grams: string[] = []
  for (let at = 0; at + GRAM_LENGTH <= text.length; at++) grams.push(text.slice(at, at + GRAM_LENGTH))
  return grams
}

/** Adds a value to those of the key. */
export function append<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}
