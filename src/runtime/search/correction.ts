import {
  byCost,
  combineReadings,
  errorsAllowed,
  isCyrillic,
  joinReadings,
  lookOf,
  otherLayout,
  type Reading,
  readSearch,
  type SearchToken,
  type SearchWord,
} from '../../rules/catalogue/search.ts'
import { EVERY_ACTIVE_INDEXED } from './column-store.ts'
import type { ProductIndex } from './product-index.ts'
import type { SimilarWord } from './word-index.ts'
import type { StemmedWord } from './words.ts'

/** The cheapest reading of a search wins. A word that only sounds alike costs more than a misspelt one. */
const COST = { sign: 4, split: 5, look: 6, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** Readings of one token. */
const MAX_READINGS = 8
/** Readings of a whole search. */
const MAX_TRIED = 24
/** Letters and digits in turn; a search for more of them isn't for an article number. */
const MAX_PARTS = 6
/** Words left out of a search. */
const MAX_LEFT_OUT = 3

/**
 * Corrects a search that finds nothing under its filter (contract section 4, "search"). Where no reading of all its words
 * finds anything, the least telling ones are left out one by one.
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
  const count = (words: SearchWord[]) => {
    const stemmed = words.map((word) => ({ ...word, stem: stemOf(word) }))
    const page = { order: 'id', descending: false, offset: 0, size: 0 } as const
    return index.find({ ...EVERY_ACTIVE_INDEXED, words: stemmed }, page).total
  }
  const findsAny = (words: SearchWord[]) => count(words) > 0
  if (findsAny(searched)) return null

  const isKnown = (word: SearchWord) =>
    word.literal || errorsAllowed(word.text) === 0 || index.words.isKnown(word.text, stemOf(word))
  const readings = tokens.map(({ words }, at) =>
    [
      ...readingsOf(words, isKnown, index),
      ...withoutSigns(words),
      ...splitReading(words, splits[at] ?? []),
      ...layoutReading(layouts[at] ?? [], isKnown),
    ]
      .sort(byCost)
      .slice(0, MAX_READINGS),
  )
  const telling = tokens.map(({ words }, at) => ({
    words,
    readings: readings[at] ?? [],
    count: count(words),
  }))
  for (let left = telling.toSorted(byTelling), out = 0; left.length > 0 && out <= MAX_LEFT_OUT; out++) {
    const inOrder = telling.filter((token) => left.includes(token))
    const words = inOrder.flatMap((token) => token.words)
    if (out > 0 && findsAny(words)) return words
    const found = combineReadings(
      inOrder.map((token) => token.readings),
      MAX_TRIED,
    ).find(findsAny)
    if (found !== undefined) return found
    left = left.slice(0, -1)
  }
  return null
}

/** The words as given, and with similar words in their place. */
function readingsOf(words: SearchWord[], isKnown: (word: SearchWord) => boolean, index: ProductIndex) {
  let combined: Reading[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const word of words) {
    const similar = word.literal ? [] : index.words.similarTo(word.text)
    const ways = [
      // An unknown word may still be found inside of one.
      { words: [word], cost: isKnown(word) ? 0 : COST.inside, known: Number.POSITIVE_INFINITY },
      ...similar.flatMap((candidate) => reading(word, candidate)),
      ...lookReading(word, index),
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

/** Without the signs at the ends of words, unless these are too short to tell anything alone (`c++`). */
function withoutSigns(words: SearchWord[]): Reading[] {
  const plain = words.filter(({ text, literal }) => !(literal && /[+#]$/.test(text)))
  const isTelling = plain.some(({ text }) => errorsAllowed(text) > 0)
  return isTelling && plain.length < words.length ? [{ words: plain, cost: COST.sign, known: 0 }] : []
}

/** In Latin letters that look the same, as the beginning of a word. */
function lookReading({ text, literal }: SearchWord, { words }: ProductIndex): Reading[] {
  const look = literal ? null : lookOf(text)
  if (look === null || look === text || !words.isKnown(look, '')) return []
  return [{ words: [{ text: look, literal: false }], cost: COST.look, known: 0 }]
}

function splitReading(words: SearchWord[], parts: SearchWord[]): Reading[] {
  const isPlausible = parts.length > words.length && parts.length <= MAX_PARTS
  return isPlausible ? [{ words: parts, cost: COST.split, known: 0 }] : []
}

function layoutReading(words: SearchWord[], isKnown: (word: SearchWord) => boolean): Reading[] {
  const isPlausible = words.some(({ text }) => errorsAllowed(text) > 0) && words.every(isKnown)
  return isPlausible ? [{ words, cost: COST.layout, known: 0 }] : []
}

function reading({ text }: SearchWord, { word, products, by, errors }: SimilarWord): Reading[] {
  if (word === text) return []
  const words = [{ text: word, literal: false }]
  if (by === 'look') return [{ words, cost: COST.look, known: products }]
  if (by === 'typing') return [{ words, cost: errors * COST.error, known: products }]
  if (isCyrillic(text) === isCyrillic(word)) return []
  return [{ words, cost: errors === 0 ? COST.sound : COST.soundError, known: products }]
}

type TellingToken = { words: SearchWord[]; readings: Reading[]; count: number }

/** The rarest words first; at the end those that no name has, those that may be misspelt before others. */
function byTelling(a: TellingToken, b: TellingToken): number {
  const isFound = ({ count }: TellingToken) => Number(count > 0)
  return isFound(b) - isFound(a) || a.count - b.count || b.readings.length - a.readings.length
}
