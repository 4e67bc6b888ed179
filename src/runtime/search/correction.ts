import { isCyrillic, otherLayout } from '../../rules/catalogue/letters.ts'
import { EVERY_ACTIVE } from '../../rules/catalogue/product-filter.ts'
import { readSearch, type SearchToken, type SearchWord, wordsOfTokens } from '../../rules/catalogue/search.ts'
import { errorsAllowed } from '../../rules/catalogue/typing-errors.ts'
import type { ProductIndex } from './product-index.ts'
import type { SimilarWord } from './similar-words.ts'

/** The cheapest candidate for a search wins. A word that only sounds alike costs more than a misspelt one. */
const COST = { sign: 4, split: 5, look: 6, inside: 9, error: 10, layout: 11, sound: 15, soundError: 22 }
/** For one token. */
const MAX_CANDIDATES = 8
/** Candidates for a whole search. */
const MAX_TRIED = 24
/** Runs of letters and digits; no article number has more of them. */
const MAX_PARTS = 6
/** Words left out of a search. */
const MAX_LEFT_OUT = 3

/**
 * Corrects a search that finds nothing with its filter (contract section 4, "search"). If no candidate for all its words
 * finds anything, the least distinctive words are left out one by one.
 * @param readStems makes the stems of words known to the index
 * @returns null if the search without the filter finds an active product, or if no correction does
 */
export async function findCorrection(
  index: ProductIndex,
  tokens: SearchToken[],
  readStems: (words: SearchWord[]) => Promise<void>,
): Promise<SearchWord[] | null> {
  const searched = wordsOfTokens(tokens)
  const layouts = tokens.map(({ raw }) => wordsOfTokens(readSearch(otherLayout(raw))))
  const splits = tokens.map(({ words }) => splitLettersAndDigits(words))
  // Other candidates are words of names, whose stems the index has.
  await readStems([...searched, ...layouts.flat(), ...splits.flat()])
  const count = (words: SearchWord[]) => index.count({ ...EVERY_ACTIVE, tokens: [{ raw: '', words }] })
  const findsAny = (words: SearchWord[]) => count(words) > 0
  if (findsAny(searched)) return null

  const isKnown = (word: SearchWord) => word.literal || errorsAllowed(word.text) === 0 || index.words.isKnown(word.text)
  const parts = tokens.map(({ words }, at) => {
    const candidates = [
      ...similarCandidates(words, isKnown, index),
      ...withoutSigns(words),
      ...splitCandidate(words, splits[at] ?? []),
      ...layoutCandidate(layouts[at] ?? [], isKnown),
    ]
    return { words, count: count(words), candidates: combineCandidates([candidates], MAX_CANDIDATES) }
  })
  const byDistinctiveness = parts.toSorted(mostDistinctiveFirst)
  for (let leftOut = 0; leftOut < parts.length && leftOut <= MAX_LEFT_OUT; leftOut++) {
    const used = byDistinctiveness.slice(0, parts.length - leftOut)
    const left = parts.filter((part) => used.includes(part))
    const words = left.flatMap((part) => part.words)
    if (leftOut > 0 && findsAny(words)) return words
    const candidates = left.map((part) => part.candidates)
    const tried = combineCandidates(candidates, MAX_TRIED).filter(({ cost }) => cost > 0)
    const found = tried.find((candidate) => findsAny(candidate.words))
    if (found !== undefined) return found.words
  }
  return null
}

/** The words as given, and with similar words in their place. */
function similarCandidates(words: SearchWord[], isKnown: (word: SearchWord) => boolean, index: ProductIndex) {
  const ways = words.map((word) => [
    // An unknown word may still be part of a longer one.
    { words: [word], cost: isKnown(word) ? 0 : COST.inside, known: Number.POSITIVE_INFINITY },
    ...(word.literal ? [] : index.words.similarTo(word.text)).flatMap((found) => similarCandidate(word, found)),
    ...lookCandidates(word, index),
  ])
  return combineCandidates(ways, MAX_CANDIDATES)
}

/** Splits article numbers: `eh5500` may be «EH 5500» in a name. */
function splitLettersAndDigits(words: SearchWord[]): SearchWord[] {
  return words.flatMap((word) =>
    word.literal ? [word] : (word.text.match(/\p{L}+|\p{N}+/gu) ?? []).map((text) => ({ text, literal: false })),
  )
}

/** Drops signs at the ends of words, unless what remains is too short to mean anything (`c++`). */
function withoutSigns(words: SearchWord[]): Candidate[] {
  const plain = words.filter(({ text, literal }) => !(literal && /[+#]$/.test(text)))
  const isDistinctive = plain.some(({ text }) => errorsAllowed(text) > 0)
  return isDistinctive && plain.length < words.length ? [{ words: plain, cost: COST.sign, known: 0 }] : []
}

/** The word in letters of the other script that look the same, if a name has a word that begins so. */
function lookCandidates({ text, literal }: SearchWord, { words }: ProductIndex): Candidate[] {
  const looks = literal ? [] : words.lookingLike(text).filter((look) => look !== text && words.isKnown(look))
  return looks.map((look) => ({ words: [{ text: look, literal: false }], cost: COST.look, known: 0 }))
}

function splitCandidate(words: SearchWord[], parts: SearchWord[]): Candidate[] {
  const isPlausible = parts.length > words.length && parts.length <= MAX_PARTS
  return isPlausible ? [{ words: parts, cost: COST.split, known: 0 }] : []
}

function layoutCandidate(words: SearchWord[], isKnown: (word: SearchWord) => boolean): Candidate[] {
  const isPlausible = words.some(({ text }) => errorsAllowed(text) > 0) && words.every(isKnown)
  return isPlausible ? [{ words, cost: COST.layout, known: 0 }] : []
}

function similarCandidate({ text }: SearchWord, { word, products, by, errors }: SimilarWord): Candidate[] {
  if (word === text) return []
  const words = [{ text: word, literal: false }]
  if (by === 'typing') return [{ words, cost: errors * COST.error, known: products }]
  if (isCyrillic(text) === isCyrillic(word)) return []
  return [{ words, cost: errors === 0 ? COST.sound : COST.soundError, known: products }]
}

type SearchPart = { words: SearchWord[]; candidates: Candidate[]; count: number }

/** The rarest words first; words that no name has come last, those that may be misspelt before others. */
function mostDistinctiveFirst(a: SearchPart, b: SearchPart): number {
  const isFound = ({ count }: SearchPart) => Number(count > 0)
  return isFound(b) - isFound(a) || a.count - b.count || b.candidates.length - a.candidates.length
}

/** What a token may have been meant to be. `known`: how many products have its rarest word. */
type Candidate = { words: SearchWord[]; cost: number; known: number }

/** The cheapest candidate first; of equals, the one with the most frequent words. */
function byCost(a: Candidate, b: Candidate): number {
  return a.cost - b.cost || b.known - a.known
}

/** The cheapest combinations of a candidate from each list, the cheapest first. */
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
      .sort(byCost)
      .slice(0, limit)
  }
  return combined
}
