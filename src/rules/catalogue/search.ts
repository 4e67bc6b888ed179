import { fold, foldScripts, lookOf } from '../fold.ts'
import { withoutInvisible } from '../text.ts'

/** Further words are ignored (docs/search.md). */
const MAX_WORDS = 10

/**
 * `literal`: contains signs that count, and is compared with the whole name. `parts`: what may stand in a name instead, all of
 * them: those between hyphens, or a number and its unit.
 */
export type SearchWord = { text: string; literal: boolean; parts: SearchWord[] }

export function plainWord(text: string): SearchWord {
  return { text, literal: false, parts: [] }
}

/** A part of a search between spaces, and its words. */
export type SearchToken = { raw: string; words: SearchWord[] }

export function wordsOfTokens(tokens: SearchToken[]): SearchWord[] {
  return tokens.flatMap(({ words }) => words)
}

/** Signs that only separate words; any other sign counts, and so do + and # at the end of a word (`c++`, `c#`). */
const SEPARATORS = /(?:[\s,;:"«»“”„()[\]{}/|!?*]|(?<![\p{L}\p{N}][+#]{0,3})[+#]|[+#]+(?=[\p{L}\p{N}]))+/u

/** Signs between the parts of one word: all but the point of a decimal, which is that of a number with a single one. */
const JOINERS = /[-'_]|(?<![0-9])\.|\.(?![0-9])|(?<=\.[0-9]{1,20})\.|\.(?=[0-9]{1,20}\.)/

/** A part of a name or a search between blanks, split at its joiners. */
function partsOf(token: string): string[] {
  const parts = /[-'_.]/.test(token) ? token.split(JOINERS) : [token]
  return parts.filter((part) => part !== '')
}

/** `0.5л`, which may as well be written `0.5 л`. */
const NUMBER_WITH_UNIT = /^([0-9]+(?:\.[0-9]+)?)(\p{L}{1,3})$/u

/** The number and the unit of which a word consists; none for another word. */
function measureOf(word: string): string[] {
  return NUMBER_WITH_UNIT.exec(word)?.slice(1) ?? []
}

/** Longer names are cut, as `products.search_name` is. */
export const MAX_NAME_LENGTH = 650

/**
 * The folded words of a name: the parts of hyphenated ones, and those joined (`TK-510K`: tk, 510k, tk510k); the numbers of
 * sizes, and numbers without their units. Words with digits and those of mixed scripts also in Latin letters, as searches for
 * such words are folded.
 */
export function wordsOfName(name: string): string[] {
  const tokens = fold(name.slice(0, MAX_NAME_LENGTH)).split(/[^\p{L}\p{N}.'_-]+/u)
  const words = tokens.flatMap((token) => {
    const parts = partsOf(token)
    const joined = parts.length > 1 ? [...parts, parts.join('')] : parts
    if (!/[0-9]/.test(token)) return joined
    const sizes = parts.flatMap((part) => part.split(/(?<=[0-9])x(?=[0-9])/))
    return [...joined, ...sizes, ...sizes.flatMap(measureOf)]
  })
  return [...new Set([...words, ...words.map(foldScripts)])].filter((word) => word !== '')
}

/** The words of a name, each with the name's spelling of it. */
export function spellingsOf(name: string): [word: string, spelling: string][] {
  const visible = withoutInvisible(name.slice(0, MAX_NAME_LENGTH))
  const tokens = visible.match(/[\p{L}\p{M}\p{N}]+(?:[.,'’_×*\p{Dash}][\p{L}\p{M}\p{N}]+)*/gu) ?? []
  return tokens.flatMap((token) => {
    const parts = token.split(/['’_\p{Dash}]|(?<!\p{N})[.,×*]|[.,×*](?!\p{N})/u)
    return [token, ...parts].flatMap((spelling) => {
      const word = partsOf(fold(spelling)).join('')
      return [...new Set([word, foldScripts(word)])].map((text): [string, string] => [text, spelling])
    })
  })
}

/** An article number without its punctuation, as it is searched for. */
export function articleOf(text: string): string {
  return lookOf(fold(text).replace(/[^\p{L}\p{N}]+/gu, ''))
}

/** The parts of a search in their order, without repeated words; none when it is blank. Signs alone are one literal word. */
export function readSearch(text: string): SearchToken[] {
  const tokens: SearchToken[] = []
  const seen = new Set<string>()
  let room = MAX_WORDS
  const folded = fold(text)
  for (const raw of folded.split(' ')) {
    const distinct = new Map(wordsOf(raw).map((word) => [word.text, word]))
    const words = [...distinct.values()].filter(({ text }) => !seen.has(text)).slice(0, room)
    if (words.length === 0) continue
    for (const word of words) seen.add(word.text)
    room -= words.length
    tokens.push({ raw, words })
  }
  if (tokens.length > 0 || folded === '') return tokens
  return [{ raw: folded, words: [{ ...plainWord(folded), literal: true }] }]
}

function wordsOf(raw: string): SearchWord[] {
  return raw.split(SEPARATORS).flatMap((part) => {
    const isWord = /^[\p{L}\p{N}.'-]*$/u.test(part)
    const words = part.split(/[^\p{L}\p{N}.'-]+/u).flatMap((word) => wordOf(partsOf(word)) ?? [])
    // The index finds the words; the signs are then looked for in the names found.
    return isWord ? words : [...words, { ...plainWord(part), literal: true }]
  })
}

/** A word that may stand in names together or in its parts. */
function wordOf(parts: string[]): SearchWord | null {
  if (parts.length === 0) return null
  const text = parts.join('')
  const apart = parts.length > 1 ? parts : measureOf(text)
  return { ...plainWord(foldScripts(text)), parts: apart.flatMap((part) => wordOf([part]) ?? []) }
}

/** The words of a search, with letters and digits apart: `eh5500` may be «EH 5500» in a name. */
export function splitSearch(raw: string): SearchWord[] {
  const apart = raw.replace(/[-'_]/g, ' ').replace(/(?<=\p{L})(?=[0-9])|(?<=[0-9])(?=\p{L})/gu, ' ')
  return fold(apart).split(' ').flatMap(wordsOf)
}
