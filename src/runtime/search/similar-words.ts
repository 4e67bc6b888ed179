import { soundAlike, soundOf } from '../../rules/catalogue/letters.ts'
import { errorsAllowed, errorsWithin } from '../../rules/catalogue/typing-errors.ts'
import type { Word } from './products.ts'
import type { createWordIndex } from './word-index.ts'

type WordIndex = ReturnType<typeof createWordIndex<Word>>

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

/** Misspelt words, then ones that only sound alike; the best of each first. */
export function findSimilarWords(texts: WordIndex, sounds: WordIndex, word: string): SimilarWord[] {
  const allowed = errorsAllowed(word)
  if (allowed === 0) return []
  const errorsIn = ({ text }: Word) => errorsWithin(allowed, word, text)
  const misspelt = best('typing', candidatesOf(texts, word, allowed), errorsIn, MAX_MISSPELT)
  const sound = soundOf(word)
  if (sound.length < MIN_SOUND_LENGTH) return misspelt
  const errorsInSound = (other: Word) =>
    soundAlike(sound, other.sound) ? Number(sound !== other.sound) : Number.POSITIVE_INFINITY
  return [...misspelt, ...best('sound', candidatesOf(sounds, sound, 1), errorsInSound, MAX_ALIKE)]
}

/** @param errorsOf infinite for another word */
function best(by: SimilarWord['by'], candidates: Word[], errorsOf: (word: Word) => number, limit: number) {
  const similar = [...new Set(candidates)].flatMap((word) => {
    const products = word.products.length
    const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(word)
    return errors === Number.POSITIVE_INFINITY ? [] : { word: word.text, products, errors, by }
  })
  // By the word itself at last, so that all instances choose the same.
  const compare = (a: SimilarWord, b: SimilarWord) =>
    a.errors - b.errors || b.products - a.products || (a.word < b.word ? -1 : 1)
  return similar.sort(compare).slice(0, limit)
}

/**
 * The words with an intact part in common: with one error either half of a word is, with two errors one of its thirds, unless
 * one of them is a swap on their border.
 */
function candidatesOf(index: WordIndex, word: string, errors: 1 | 2): Word[] {
  const letters = [...word]
  const part = errors === 1 ? Math.floor((letters.length - 1) / 2) : Math.floor(letters.length / 3)
  return [
    ...index.beginning(letters.slice(0, part).join('')),
    ...index.ending(letters.slice(-part).join('')),
    ...(errors === 1 ? [] : index.having(letters.slice(part, -part).join(''))),
  ]
}
