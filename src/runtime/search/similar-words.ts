import { soundAlike, soundOf } from '../../rules/catalogue/letters.ts'
import { errorsAllowed, errorsWithin } from '../../rules/catalogue/typing-errors.ts'
import type { WordIndex } from './word-index.ts'

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
const MIN_SOUND_LENGTH = 3

type Vocabulary = {
  words: WordIndex
  /** The sound of each word. */
  sounds: WordIndex
  /** The rows that have each word. */
  postings: readonly (readonly number[])[]
}

/** Misspelt words, then ones that only sound alike; the best of each first. */
export function findSimilarWords({ words, sounds, postings }: Vocabulary, word: string): SimilarWord[] {
  /** @param errorsOf infinite for another word */
  function best(by: SimilarWord['by'], candidates: number[], errorsOf: (number: number) => number, limit: number) {
    const similar = [...new Set(candidates)].flatMap((number) => {
      const products = postings[number]?.length ?? 0
      const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(number)
      return errors === Number.POSITIVE_INFINITY ? [] : { word: words.at(number), products, errors, by }
    })
    // Not by number, which differs between instances.
    const compare = (a: SimilarWord, b: SimilarWord) =>
      a.errors - b.errors || b.products - a.products || (a.word < b.word ? -1 : 1)
    return similar.sort(compare).slice(0, limit)
  }

  function misspelt(allowed: 1 | 2): SimilarWord[] {
    const errorsIn = (number: number) => errorsWithin(allowed, word, words.at(number))
    return best('typing', candidatesOf(words, word, allowed), errorsIn, MAX_MISSPELT)
  }

  function soundingAlike(): SimilarWord[] {
    const sound = soundOf(word)
    if (sound.length < MIN_SOUND_LENGTH) return []
    const errorsIn = (number: number) => {
      const other = sounds.at(number)
      return soundAlike(sound, other) ? Number(sound !== other) : Number.POSITIVE_INFINITY
    }
    return best('sound', candidatesOf(sounds, sound, 1), errorsIn, MAX_ALIKE)
  }

  const allowed = errorsAllowed(word)
  return allowed === 0 ? [] : [...misspelt(allowed), ...soundingAlike()]
}

/**
 * The words with an intact part in common: with one error either half of a word is, with two errors one of its thirds, unless
 * one of them is a swap on their border.
 */
function candidatesOf(index: WordIndex, word: string, errors: 1 | 2): number[] {
  const letters = [...word]
  const part = errors === 1 ? Math.floor((letters.length - 1) / 2) : Math.floor(letters.length / 3)
  return [
    ...index.beginning(letters.slice(0, part).join('')),
    ...index.ending(letters.slice(-part).join('')),
    ...(errors === 1 ? [] : index.having(letters.slice(part, -part).join(''))),
  ]
}
