import { errorsAllowed, numbersOf, soundAlike, soundOf, typingErrors } from '../../rules/catalogue/letters.ts'
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
  const numbers = numbersOf(word)
  const hasSameNumbers = ({ text }: Word) => numbersOf(text) === numbers
  const near = candidatesOf(texts, word, allowed)
    .filter(({ text }) => Math.abs(text.length - word.length) <= allowed)
    .filter(hasSameNumbers)
  const misspelt = near.map((other) => toSimilar(other, typingErrors(word, other.text), 'typing'))
  const found = best(misspelt, MAX_MISSPELT).filter(({ errors }) => errors <= allowed)
  const sound = soundOf(word)
  if (sound.length < MIN_SOUND_LENGTH) return found
  const alike = candidatesOf(sounds, sound, 1)
    .filter((other) => soundAlike(sound, other.sound))
    .filter(hasSameNumbers)
  const sounding = alike.map((other) => toSimilar(other, Number(sound !== other.sound), 'sound'))
  return [...found, ...best(sounding, MAX_ALIKE)]
}

function toSimilar({ text, products }: Word, errors: number, by: SimilarWord['by']): SimilarWord {
  return { word: text, products: products.length, errors, by }
}

/** Of words that products have. */
function best(similar: SimilarWord[], limit: number): SimilarWord[] {
  // By the word itself at last, so that all instances choose the same.
  const compare = (a: SimilarWord, b: SimilarWord) =>
    a.errors - b.errors || b.products - a.products || (a.word < b.word ? -1 : 1)
  const used = similar.filter(({ products }) => products > 0)
  return used.sort(compare).slice(0, limit)
}

/**
 * The words that share a part with this one: one error leaves one of its halves intact, two errors one of its thirds, unless one
 * of them swaps letters across a border.
 */
function candidatesOf(index: WordIndex, word: string, errors: 1 | 2): Word[] {
  const letters = [...word]
  const part = errors === 1 ? Math.floor((letters.length - 1) / 2) : Math.floor(letters.length / 3)
  const candidates = [
    ...index.beginning(letters.slice(0, part).join('')),
    ...index.ending(letters.slice(-part).join('')),
    ...(errors === 1 ? [] : index.having(letters.slice(part, -part).join(''))),
  ]
  return [...new Set(candidates)]
}
