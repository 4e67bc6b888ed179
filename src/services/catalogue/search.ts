import type { ProductFilter } from '../../../db/queries/catalogue/product-filter.ts'
import { countProducts } from '../../../db/queries/catalogue/products.ts'
import {
  findKnownWords,
  findSimilarWords,
  findThoseThatFind,
  type SimilarWord,
} from '../../../db/queries/catalogue/search.ts'
import type { Deps } from '../../deps.ts'
import {
  combineReadings,
  errorsAllowed,
  join,
  otherLayout,
  type Reading,
  readSearch,
  type SearchToken,
  type SearchWord,
  typingErrors,
} from '../../rules/catalogue/search.ts'

/** How many products there are, and the filter that finds them; `corrected`: the search that was taken for the given one. */
export type FoundProducts = { filter: ProductFilter; total: number; corrected: string | null }

/** What a change costs: the least is tried first. A word that sounds alike comes behind one that was mistyped. */
const COST = { split: 5, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** Readings of one token, and of a whole search: those that cost least are tried first, the others if they fail. */
const MOST_READINGS = 8
const TRIES = [6, 18]

/**
 * Counts what a filter finds; a search that finds nothing in the whole shop is corrected (contract section 4, "search").
 * @param count how many the filter finds; may read more of them on the way
 */
export async function findMatches(
  deps: Pick<Deps, 'db' | 'cached'>,
  filter: ProductFilter,
  tokens: SearchToken[],
  count = (one: ProductFilter) => countProducts(deps.db, one),
): Promise<FoundProducts> {
  const total = await count(filter)
  if (total > 0 || tokens.length === 0) return { filter, total, corrected: null }
  const key = tokens.map(({ raw }) => raw).join(' ')
  const words = await deps.cached.corrections.get(key, () => correct(deps, tokens))
  if (words === null) return { filter, total, corrected: null }
  const understood = { ...filter, words }
  const corrected = words.map(({ text }) => text).join(' ')
  return { filter: understood, total: await count(understood), corrected }
}

/** @returns null where nothing is wrong with the search, or nothing helps */
async function correct({ db }: Pick<Deps, 'db'>, tokens: SearchToken[]): Promise<SearchWord[] | null> {
  const asked = tokens.flatMap(({ words }) => words)
  const layouts = tokens.map(({ raw }) => readSearch(otherLayout(raw)).flatMap(({ words }) => words))
  const words = textsOf([...asked, ...layouts.flat()])
  const [similar, known] = await Promise.all([
    findSimilarWords(db, textsOf(asked)),
    findKnownWords(db, words),
  ])
  const isKnown = ({ text, literal }: SearchWord) => literal || errorsAllowed(text) === 0 || known.has(text)

  const readings = tokens.map((token, index) =>
    [
      ...readingsOf(token.words, isKnown, similar),
      ...splitReading(token.words),
      ...layoutReading(layouts[index] ?? [], isKnown),
    ]
      .sort((a, b) => a.cost - b.cost || b.known - a.known)
      .slice(0, MOST_READINGS),
  )
  const searches = combineReadings(readings, sum(TRIES))
  // Also the search as it stands: there may be products that the rest of the filter leaves out.
  searches.unshift(asked)
  for (const tries of [1 + (TRIES[0] ?? 0), ...TRIES.slice(1)]) {
    const tried = searches.splice(0, tries)
    const finding = await findThoseThatFind(db, tried)
    const first = tried.find((_, index) => finding.has(index))
    if (first !== undefined) return first === asked ? null : first
  }
  return null
}

function textsOf(words: SearchWord[]): string[] {
  return [...new Set(words.flatMap(({ text, literal }) => (literal ? [] : [text])))]
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** The words as they stand where they are known, and with what is like them in their place. */
function readingsOf(
  words: SearchWord[],
  isKnown: (word: SearchWord) => boolean,
  similar: SimilarWord[],
): Reading[] {
  let combined: Reading[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const word of words) {
    const ways = [
      // What no word is or begins may still be inside of one.
      { words: [word], cost: isKnown(word) ? 0 : COST.inside, known: Number.POSITIVE_INFINITY },
      ...(word.literal ? [] : similar.flatMap((candidate) => reading(word, candidate))),
    ].sort((a, b) => a.cost - b.cost || b.known - a.known)
    combined = combined
      .flatMap((left) => ways.slice(0, MOST_READINGS).map((right) => join(left, right)))
      .slice(0, 4 * MOST_READINGS)
  }
  return combined
}

/** An article number whose letters and digits are words of their own in a name: `eh5500` is «EH 5500». */
function splitReading(words: SearchWord[]): Reading[] {
  const parts = words.flatMap((word) =>
    word.literal
      ? [word]
      : (word.text.match(/\p{L}+|\p{N}+/gu) ?? []).map((text) => ({ text, literal: false })),
  )
  return parts.length > words.length ? [{ words: parts, cost: COST.split, known: 0 }] : []
}

function layoutReading(words: SearchWord[], isKnown: (word: SearchWord) => boolean): Reading[] {
  const meant = words.some(({ text }) => errorsAllowed(text) > 0) && words.every(isKnown)
  return meant ? [{ words, cost: COST.layout, known: 0 }] : []
}

function reading({ text }: SearchWord, { asked, word, products, sounds, distance }: SimilarWord): Reading[] {
  if (asked !== text || word === text) return []
  const errors = typingErrors(text, word)
  const words = [{ text: word, literal: false }]
  if (errors <= errorsAllowed(text)) return [{ words, cost: errors * COST.error, known: products }]
  if (!sounds || isCyrillic(text) === isCyrillic(word)) return []
  return [{ words, cost: distance === 0 ? COST.sound : COST.soundError, known: products }]
}

function isCyrillic(word: string): boolean {
  return /\p{Script=Cyrillic}/u.test(word)
}
