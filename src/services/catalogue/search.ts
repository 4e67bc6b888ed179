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
} from '../../rules/catalogue/search.ts'
import { EVERY_ACTIVE_INDEXED } from '../../runtime/search/column-store.ts'
import type { ProductColumns } from '../../runtime/search/product-columns.ts'
import type { SimilarWord, SoughtWord } from '../../runtime/search/words.ts'
import { lookUp } from './product-index.ts'

type SearchDeps = Pick<Deps, 'db' | 'cached' | 'productIndex'>

/** What a change costs: the least is tried first. A word that sounds alike comes behind one that was mistyped. */
const COST = { split: 5, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** Readings of one token, and of a whole search: those that cost least are tried. */
const MAX_READINGS = 8
const MAX_TRIED = 24

/**
 * What a search was meant to be that finds nothing under the filter that it stands in (contract section 4, "search").
 * @returns null where nothing is wrong with the search, because it finds an active product, or where nothing helps
 */
export async function correct(
  deps: SearchDeps,
  products: ProductColumns,
  tokens: SearchToken[],
): Promise<SoughtWord[] | null> {
  const key = tokens.map(({ raw }) => raw).join(' ')
  const words = await deps.cached.corrections.get(key, () => findMeant(deps, products, tokens))
  return words && lookUp(deps, products, words)
}

async function findMeant(
  deps: SearchDeps,
  products: ProductColumns,
  tokens: SearchToken[],
): Promise<SearchWord[] | null> {
  const asked = tokens.flatMap(({ words }) => words)
  const layouts = tokens.map(({ raw }) => readSearch(otherLayout(raw)).flatMap(({ words }) => words))
  const splits = tokens.map(({ words }) => splitUp(words))
  // All that may be tried but the vocabulary's own words, whose stems are known.
  const all = [...asked, ...layouts.flat(), ...splits.flat()]
  const stems = new Map((await lookUp(deps, products, all)).map(({ text, stem }) => [text, stem]))
  const stemOf = ({ text }: SearchWord) => stems.get(text) ?? products.words.stemOf(text) ?? ''
  const finds = (words: SearchWord[]) => {
    const sought = words.map((word) => ({ ...word, stem: stemOf(word) }))
    const page = { order: 'id', descending: false, offset: 0, size: 0 } as const
    return products.find({ ...EVERY_ACTIVE_INDEXED, words: sought }, page).total > 0
  }
  // There may be products that the rest of the filter leaves out.
  if (finds(asked)) return null

  const isKnown = (word: SearchWord) =>
    word.literal || errorsAllowed(word.text) === 0 || products.words.isKnown(word.text, stemOf(word))
  const readings = tokens.map(({ words }, index) =>
    [
      ...readingsOf(words, isKnown, products),
      ...splitReading(words, splits[index] ?? []),
      ...layoutReading(layouts[index] ?? [], isKnown),
    ]
      .sort((a, b) => a.cost - b.cost || b.known - a.known)
      .slice(0, MAX_READINGS),
  )
  return combineReadings(readings, MAX_TRIED).find(finds) ?? null
}

/** The words as they stand where they are known, and with what is like them in their place. */
function readingsOf(
  words: SearchWord[],
  isKnown: (word: SearchWord) => boolean,
  products: ProductColumns,
): Reading[] {
  let combined: Reading[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const word of words) {
    const similar = word.literal ? [] : products.words.similarTo(word.text)
    const ways = [
      // What no word is or begins may still be inside of one.
      { words: [word], cost: isKnown(word) ? 0 : COST.inside, known: Number.POSITIVE_INFINITY },
      ...similar.flatMap((candidate) => reading(word, candidate)),
    ].sort((a, b) => a.cost - b.cost || b.known - a.known)
    combined = combined
      .flatMap((left) => ways.slice(0, MAX_READINGS).map((right) => join(left, right)))
      .slice(0, 4 * MAX_READINGS)
  }
  return combined
}

/** An article number whose letters and digits are words of their own in a name: `eh5500` is «EH 5500». */
function splitUp(words: SearchWord[]): SearchWord[] {
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
  const meant = words.some(({ text }) => errorsAllowed(text) > 0) && words.every(isKnown)
  return meant ? [{ words, cost: COST.layout, known: 0 }] : []
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
