import { errorsAllowed, otherLayout } from '../../rules/catalogue/letters.ts'
import { EVERY_ACTIVE } from '../../rules/catalogue/product-filter.ts'
import {
  plainWord,
  readSearch,
  type SearchToken,
  type SearchWord,
  splitSearch,
  wordsOfTokens,
} from '../../rules/catalogue/search.ts'
import { isCyrillic, lookOf } from '../../rules/fold.ts'
import type { ProductIndex } from './product-index.ts'
import type { Product } from './products.ts'

/** The cheapest candidate for a search wins. A word that only sounds alike costs more than a misspelt one. */
const COST = { split: 5, look: 6, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** For one token. */
const MAX_CANDIDATES = 8
/** Candidates for a whole search. */
const MAX_TRIED = 24
/** Runs of letters and digits; no article number has more of them. */
const MAX_PARTS = 6
/** Tokens left out of a search. */
const MAX_LEFT_OUT = 3

/** What a word, a token or a search may have been meant to be. `known`: how many products have its rarest word. */
type Candidate = { words: SearchWord[]; cost: number; known: number }

/** `layout`: typed in the other keyboard layout. `parts`: with letters and digits apart. */
type Token = { words: SearchWord[]; layout: SearchWord[]; parts: SearchWord[] }

/**
 * Corrects a search that finds nothing with its filter (docs/search.md). If no candidate for all its words
 * finds anything, the least distinctive words are left out one by one.
 * @param readStems makes the stems of words known to the index
 * @returns null if the search without the filter finds an active product, or if no correction does
 */
export async function findCorrection(
  index: ProductIndex,
  searched: SearchToken[],
  readStems: (words: SearchWord[]) => Promise<void>,
): Promise<SearchWord[] | null> {
  const tokens = searched.map(
    ({ raw, words }): Token => ({
      words,
      layout: wordsOfTokens(readSearch(otherLayout(raw))),
      parts: splitSearch(raw),
    }),
  )
  // Other candidates are words of names, whose stems the index has.
  await readStems(tokens.flatMap(({ words, layout, parts }) => [...words, ...layout, ...parts]))
  // Candidates share most of their words, and looking one up takes longer than comparing what was found.
  const found = new Map<string | SearchWord, Set<Product>>()
  function productsWith(word: SearchWord): Set<Product> {
    const key = word.parts.length === 0 ? word.text : word
    const products = found.get(key) ?? index.productsWith(word)
    found.set(key, products)
    return products
  }
  function count(words: SearchWord[]): number {
    const [rarest, ...others] = words.map(productsWith).sort((a, b) => a.size - b.size)
    // Without words, every product matches.
    if (rarest === undefined) return index.count(EVERY_ACTIVE)
    return others.reduce((all, some) => all.intersection(some), rarest).size
  }
  const findsAny = (words: SearchWord[]) => count(words) > 0
  if (searched.length === 0 || findsAny(wordsOfTokens(searched))) return null

  const all = tokens.map((token) => {
    const candidates = combineCandidates([tokenCandidates(token, index)], MAX_CANDIDATES)
    return { words: token.words, count: count(token.words), candidates }
  })
  const byDistinctiveness = all.toSorted(mostDistinctiveFirst)
  const wordsIn = (some: typeof all) => some.filter(({ words }) => words.some(isLong)).length
  for (let leftOut = 0; leftOut < all.length && leftOut <= MAX_LEFT_OUT; leftOut++) {
    const used = byDistinctiveness.slice(0, all.length - leftOut)
    const left = all.filter((token) => used.includes(token))
    const words = left.flatMap((token) => token.words)
    // Of many words of nonsense one resembles a word, or a part of one.
    const isLittle = wordsIn(left) < wordsIn(all) / 2
    const isKnownWord = (word: SearchWord) => (isLittle ? index.words.isWord(word.text) : isKnown(word, index))
    const mayFind = (words: SearchWord[]) => leftOut === 0 || words.every(isKnownWord)
    if (leftOut > 0 && findsAny(words) && mayFind(words)) return words
    if (isLittle) continue
    const candidates = left.map((token) => token.candidates)
    const tried = combineCandidates(candidates, MAX_TRIED).filter(({ cost }) => cost > 0)
    const best = tried.find((candidate) => findsAny(candidate.words) && mayFind(candidate.words))
    if (best !== undefined) return best.words
  }
  return null
}

function tokenCandidates({ words, layout, parts }: Token, index: ProductIndex): Candidate[] {
  const ways = words.map((word) => wordCandidates(word, index))
  const candidates = combineCandidates(ways, MAX_CANDIDATES)
  if (parts.length > words.length && parts.length <= MAX_PARTS) {
    const apart = parts.map((part) => wordCandidates(part, index))
    const split = combineCandidates(apart, MAX_CANDIDATES)
    candidates.push(...split.map((candidate) => ({ ...candidate, cost: candidate.cost + COST.split })))
  }
  if (layout.some(isTelling) && layout.every((word) => isKnown(word, index))) {
    candidates.push({ words: layout, cost: COST.layout, known: 0 })
  }
  return candidates
}

/** The word itself, which even if unknown may be part of a longer one, similar words, and a look-alike in Latin letters. */
function wordCandidates(word: SearchWord, index: ProductIndex): Candidate[] {
  const { text, literal } = word
  const candidates: Candidate[] = []
  const add = (other: SearchWord, cost: number, known: number) => candidates.push({ words: [other], cost, known })
  add(word, isKnown(word, index) ? 0 : COST.inside, Number.POSITIVE_INFINITY)
  if (literal) return candidates
  for (const { word: similar, products, by, errors } of index.words.similarTo(text)) {
    if (similar === text) continue
    if (by === 'typing') add(plainWord(similar), errors * COST.error, products)
    else if (isCyrillic(similar) !== isCyrillic(text)) {
      add(plainWord(similar), errors === 0 ? COST.sound : COST.soundError, products)
    }
  }
  const look = lookOf(text)
  if (look !== text && !isCyrillic(look) && index.words.isKnown(look)) add(plainWord(look), COST.look, 0)
  return candidates
}

function isLong({ text }: SearchWord): boolean {
  return errorsAllowed(text) > 0
}

/** Not so short that some name has it by chance. */
function isTelling({ text }: SearchWord): boolean {
  return errorsAllowed(text) > 0 || (text.length > 2 && /[0-9]\p{L}|\p{L}[0-9]/u.test(text))
}

function isKnown(word: SearchWord, index: ProductIndex): boolean {
  const { text, literal, parts } = word
  if (literal || !isTelling(word) || index.words.isKnown(text)) return true
  const isDistinct = (part: SearchWord) => isTelling(part) || /[0-9]/.test(part.text)
  return parts.some(isDistinct) && parts.every((part) => index.words.withWord(part.text).length > 0)
}

type CountedToken = { candidates: Candidate[]; count: number }

/** The rarest words first; words that no name has come last, those that may be misspelt before others. */
function mostDistinctiveFirst(a: CountedToken, b: CountedToken): number {
  const isFound = ({ count }: CountedToken) => Number(count > 0)
  return isFound(b) - isFound(a) || a.count - b.count || b.candidates.length - a.candidates.length
}

/** The combinations of a candidate from each list: the cheapest first, of equals those of the most frequent words. */
export function combineCandidates(lists: Candidate[][], limit: number): Candidate[] {
  let combined: Candidate[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const candidates of lists) {
    combined = combined
      .flatMap((left) =>
        candidates.map((right) => ({
          words: [...left.words, ...right.words],
          cost: left.cost + right.cost,
          known: Math.min(left.known, right.known),
        })),
      )
      .sort((a, b) => a.cost - b.cost || b.known - a.known)
      .slice(0, limit)
  }
  return combined
}
