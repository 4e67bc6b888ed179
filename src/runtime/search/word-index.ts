import { articleOf, errorsAllowed, errorsWithin, soundAlike, soundOf } from '../../rules/catalogue/search.ts'

type WordIndex = ReturnType<typeof createWordIndex>

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
    add(word: string): void {
      const number = words.push(word) - 1
      for (const gram of new Set(gramsOf(BEFORE + word + AFTER))) append(byGram, gram, number)
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

/** The supplier's ids of products by row, searched as article numbers without punctuation. */
export function createArticles() {
  const index = createWordIndex()
  /** The article of each row; '' for none. */
  const texts: string[] = []
  /** The rows of each article that a product has or had. */
  const rowsByText = new Map<string, number[]>()

  function put(row: number, id: string | null): void {
    const [before = '', text] = [texts[row], articleOf(id ?? '')]
    if (before === text) return
    const rows = rowsByText.get(before)
    rows?.splice(rows.indexOf(row), 1)
    texts[row] = text
    if (text === '') return
    if (!rowsByText.has(text)) index.add(text)
    append(rowsByText, text, row)
  }

  const rowsOf = (found: number[]) => found.flatMap((number) => rowsByText.get(index.at(number)) ?? [])

  return {
    put,
    /** The row with this id, however it is punctuated. */
    rowOf: (text: string) => rowsByText.get(articleOf(text))?.at(-1),
    /** The rows whose ids begin with the word or, if it has a digit, contain it: too many random ids contain given letters. */
    rowsWith: (word: string) =>
      rowsOf(isShort(word) || !/\p{N}/u.test(word) ? index.beginning(word) : index.having(word)),
    rowsBeginning: (text: string) => rowsOf(index.beginning(text)),
  }
}

/** A word that the user may have meant. */
export type SimilarWord = {
  word: string
  /** How many products have it. */
  products: number
  /** Typing errors; of a word that only sounds alike, those between the two sounds. */
  errors: number
  by: 'typing' | 'sound'
}

const MAX_MISSPELT = 30
const MAX_ALIKE = 10

type Vocabulary = {
  words: readonly string[]
  /** The rows that have each word. */
  postings: readonly (readonly number[])[]
  vocabulary: WordIndex
  /** The sound of each word. */
  sounds: WordIndex
}

/** Misspelt words, then ones that only sound alike; the best of each first. */
export function findSimilarWords({ words, postings, vocabulary, sounds }: Vocabulary, word: string): SimilarWord[] {
  function rank(
    by: SimilarWord['by'],
    candidates: Iterable<number>,
    errorsOf: (number: number) => number,
    limit: number,
  ): SimilarWord[] {
    const similar: { number: number; errors: number; products: number }[] = []
    for (const number of new Set(candidates)) {
      const products = postings[number]?.length ?? 0
      const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(number)
      if (errors < Number.POSITIVE_INFINITY) similar.push({ number, errors, products })
    }
    return similar
      .sort((a, b) => a.errors - b.errors || b.products - a.products || a.number - b.number)
      .slice(0, limit)
      .map(({ number, errors, products }) => ({ word: words[number] ?? '', errors, products, by }))
  }

  /**
   * With one error either half of a word is intact; with two errors one of its thirds, unless one of them is a swap
   * on their border.
   */
  function misspelt(allowed: 1 | 2): SimilarWord[] {
    const letters = [...word]
    const { length } = letters
    const part = allowed === 1 ? Math.floor((length - 1) / 2) : Math.floor(length / 3)
    const candidates = [
      ...vocabulary.beginning(letters.slice(0, part).join('')),
      ...vocabulary.ending(letters.slice(-part).join('')),
      ...(allowed === 1 ? [] : vocabulary.having(letters.slice(part, length - part).join(''))),
    ]
    const errorsIn = (number: number) => errorsWithin(allowed, word, words[number] ?? '')
    return rank('typing', candidates, errorsIn, MAX_MISSPELT)
  }

  function soundingLike(): SimilarWord[] {
    const sound = soundOf(word)
    if (sound.length < 3) return []
    const part = Math.floor((sound.length - 1) / 2)
    const candidates = [...sounds.beginning(sound.slice(0, part)), ...sounds.ending(sound.slice(-part))]
    const errorsIn = (number: number) => {
      const other = sounds.at(number)
      return soundAlike(sound, other) ? Number(sound !== other) : Number.POSITIVE_INFINITY
    }
    return rank('sound', candidates, errorsIn, MAX_ALIKE)
  }

  const allowed = errorsAllowed(word)
  return allowed === 0 ? [] : [...misspelt(allowed), ...soundingLike()]
}
