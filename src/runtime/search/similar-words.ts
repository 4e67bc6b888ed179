import { errorsAllowed, errorsWithin, soundAlike, soundOf } from '../../rules/catalogue/search.ts'
import type { WordIndex } from './word-index.ts'

/** A word that may have been meant. */
export type SimilarWord = {
  word: string
  /** How many products have it. */
  products: number
  /** Typing errors; of a word that only sounds alike, those between the two sounds. */
  errors: number
  /** `look`: the same in letters of the other script. */
  by: 'typing' | 'sound' | 'look'
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

export function createSimilarWords({ words, postings, vocabulary, sounds }: Vocabulary) {
  function rank(candidates: Iterable<number>, errorsOf: (number: number) => number, limit: number) {
    const similar: { number: number; errors: number; products: number }[] = []
    for (const number of new Set(candidates)) {
      const products = postings[number]?.length ?? 0
      const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(number)
      if (errors < Number.POSITIVE_INFINITY) similar.push({ number, errors, products })
    }
    return similar
      .sort((a, b) => a.errors - b.errors || b.products - a.products || a.number - b.number)
      .slice(0, limit)
      .map(({ number, errors, products }) => ({ word: words[number] ?? '', errors, products }))
  }

  /**
   * With one error either half of a word is intact; with two errors one of its thirds, unless one of them is a swap
   * on their border.
   */
  function misspelt(word: string) {
    const letters = [...word]
    const { length } = letters
    const allowed = errorsAllowed(word)
    if (allowed === 0) return []
    const part = allowed === 1 ? Math.floor((length - 1) / 2) : Math.floor(length / 3)
    const candidates = [
      ...vocabulary.beginning(letters.slice(0, part).join('')),
      ...vocabulary.ending(letters.slice(-part).join('')),
      ...(allowed === 1 ? [] : vocabulary.having(letters.slice(part, length - part).join(''))),
    ]
    return rank(candidates, (number) => errorsWithin(allowed, word, words[number] ?? ''), MAX_MISSPELT)
  }

  function soundingLike(word: string) {
    const sound = soundOf(word)
    if (sound.length < 3 || errorsAllowed(word) === 0) return []
    const part = Math.floor((sound.length - 1) / 2)
    const candidates = [...sounds.beginning(sound.slice(0, part)), ...sounds.ending(sound.slice(-part))]
    const errorsIn = (other: string) =>
      soundAlike(sound, other) ? Number(sound !== other) : Number.POSITIVE_INFINITY
    return rank(candidates, (number) => errorsIn(sounds.at(number)), MAX_ALIKE)
  }

  return {
    /** @param looks numbers of the words that look like this one */
    to(word: string, looks: number[]): SimilarWord[] {
      return [
        ...rank(looks, () => 0, MAX_ALIKE).map((one) => ({ ...one, by: 'look' as const })),
        ...misspelt(word).map((one) => ({ ...one, by: 'typing' as const })),
        ...soundingLike(word).map((one) => ({ ...one, by: 'sound' as const })),
      ]
    },
  }
}
