import {
  byCost,
  combineReadings,
  errorsAllowed,
  joinReadings,
  otherLayout,
  type Reading,
  readSearch,
  type SearchToken,
  type SearchWord,
} from '../../rules/catalogue/search.ts'
import { EVERY_ACTIVE_INDEXED } from './column-store.ts'
import type { ProductIndex } from './product-index.ts'
import type { SimilarWord, StemmedWord } from './words.ts'

/** The cheapest reading of a search wins. A word that only sounds alike costs more than a misspelt one. */
const COST = { split: 5, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** Readings of one token. */
const MAX_READINGS = 8
/** Readings of a whole search. */
const MAX_TRIED = 24

/**
 * Corrects a search that finds nothing under its filter (contract section 4, "search").
 * @returns null where the search finds an active product without the filter, or no correction does
 */
export async function findCorrection(
  index: ProductIndex,
  tokens: SearchToken[],
  withStems: (words: SearchWord[]) => Promise<StemmedWord[]>,
): Promise<SearchWord[] | null> {
  const searched = tokens.flatMap(({ words }) => words)
  const layouts = tokens.map(({ raw }) => readSearch(otherLayout(raw)).flatMap(({ words }) => words))
  const splits = tokens.map(({ words }) => splitLettersAndDigits(words))
  // Other candidates are words of names, whose stems the index has.
  const all = await withStems([...searched, ...layouts.flat(), ...splits.flat()])
  const stems = new Map(all.map(({ text, stem }) => [text, stem]))
  const stemOf = ({ text }: SearchWord) => stems.get(text) ?? index.words.stemOf(text) ?? ''
  const findsAny = (words: SearchWord[]) => {
    const stemmed = words.map((word) => ({ ...word, stem: stemOf(word) }))
    const page = { order: 'id', descending: false, offset: 0, size: 0 } as const
    return index.find({ ...EVERY_ACTIVE_INDEXED, words: stemmed }, page).total > 0
  }
  if (findsAny(searched)) return null

  const isKnown = (word: SearchWord) =>
    word.literal || errorsAllowed(word.text) === 0 || index.words.isKnown(word.text, stemOf(word))
  const readings = tokens.map(({ words }, at) =>
    [
      ...readingsOf(words, isKnown, index),
      ...splitReading(words, splits[at] ?? []),
      ...layoutReading(layouts[at] ?? [], isKnown),
    ]
      .sort(byCost)
      .slice(0, MAX_READINGS),
  )
  return combineReadings(readings, MAX_TRIED).find(findsAny) ?? null
}

/** The words as given, and with similar words in their place. */
function readingsOf(
  words: SearchWord[],
  isKnown: (word: SearchWord) => boolean,
  index: ProductIndex,
): Reading[] {
  let combined: Reading[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const word of words) {
    const similar = word.literal ? [] : index.words.similarTo(word.text)
    const ways = [
      // An unknown word may still be found inside of one.
      { words: [word], cost: isKnown(word) ? 0 : COST.inside, known: Number.POSITIVE_INFINITY },
      ...similar.flatMap((candidate) => reading(word, candidate)),
    ].sort(byCost)
    combined = combined
      .flatMap((left) => ways.slice(0, MAX_READINGS).map((right) => joinReadings(left, right)))
      .slice(0, 4 * MAX_READINGS)
  }
  return combined
}

/** Splits article numbers: `eh5500` may be «EH 5500» in a name. */
function splitLettersAndDigits(words: SearchWord[]): SearchWord[] {
  return words.flatMap((word) =>
    word.literal
      ? [word]
      : (word.text.match(/\p{L}+|\p{N}+/gu) ?? []).map((text) => ({ text, literal: false })),
  )
}

function splitReading(words: SearchWord[], parts: SearchWord[]): Reading[] {
  return parts.length > words.length ? [{ words: parts, cost: COST.split, known: 0 }] : []
}

function layoutReading(words: SearchWord[], isKnown: (word: SearchWord) => boolean): Reading[] {
  const isPlausible = words.some(({ text }) => errorsAllowed(text) > 0) && words.every(isKnown)
  return isPlausible ? [{ words, cost: COST.layout, known: 0 }] : []
}

function reading({ text }: SearchWord, { word, products, sounds, errors }: SimilarWord): Reading[] {
  if (word === text) return []
  const words = [{ text: word, literal: false }]
  if (!sounds) return [{ words, cost: errors * COST.error, known: products }]
  if (isCyrillic(text) === isCyrillic(word)) return []
  return [{ words, cost: errors === 0 ? COST.sound : COST.soundError, known: products }]
}

function isCyrillic(word: string): boolean {
  return /\p{Script=Cyrillic}/u.test(word)
}
