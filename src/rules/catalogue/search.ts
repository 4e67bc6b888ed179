import { foldScripts, normalise } from './letters.ts'

/** Further words are ignored (contract section 4, "search"). */
const MAX_WORDS = 10

/** `literal`: contains signs that count, and is compared with the whole name. */
export type SearchWord = { text: string; literal: boolean }

export function plainWord(text: string): SearchWord {
  return { text, literal: false }
}

/** A part of a search between spaces, and its words. */
export type SearchToken = { raw: string; words: SearchWord[] }

export function wordsOfTokens(tokens: SearchToken[]): SearchWord[] {
  return tokens.flatMap(({ words }) => words)
}

/** Signs that only separate words; any other sign counts, and so do + and # at the end of a word (`c++`, `c#`). */
const SEPARATORS = /(?:[\s,;:"'’«»“”„()[\]{}/|!?*…–—]|(?<![\p{L}\p{N}][+#]{0,3})[+#]|[+#]+(?=[\p{L}\p{N}]))+/u

/** Longer names are cut, as `products.search_name` is. */
export const MAX_NAME_LENGTH = 650

/** The normalised words of a name with the parts of hyphenated ones, then those joined (`TK-510K`: tk, 510k, tk510k). */
export function wordsOfName(name: string): string[] {
  const tokens = normalise(name.slice(0, MAX_NAME_LENGTH)).split(/[^\p{L}\p{N}._'’-]+/u)
  const parts = tokens.map((token) => token.split(/[._'’-]+/).filter((part) => part !== ''))
  return [...parts.flat(), ...parts.filter(({ length }) => length > 1).map((each) => each.join(''))].map(foldScripts)
}

/** The words of a name, each with the name's spelling of it. */
export function spellingsOf(name: string): [word: string, spelling: string][] {
  const tokens = name.slice(0, MAX_NAME_LENGTH).split(/[^\p{L}\p{M}\p{N}._'’-]+/u)
  return tokens.flatMap((token) => {
    const parts = token.split(/[._'’-]+/).filter((part) => part !== '')
    const all = parts.map((part): [string, string] => [foldScripts(normalise(part)), part])
    return parts.length > 1 ? [...all, [foldScripts(parts.map(normalise).join('')), token]] : all
  })
}

/** An article number without its punctuation, as it is searched for. */
export function articleOf(text: string): string {
  return foldScripts(normalise(text).replace(/[^\p{L}\p{N}]+/gu, ''))
}

/** The parts of a search in their order, without repeated words; none when it is blank. */
export function readSearch(text: string): SearchToken[] {
  const tokens: SearchToken[] = []
  const seen = new Set<string>()
  let room = MAX_WORDS
  for (const raw of text.trim().split(/\s+/u)) {
    const distinct = new Map(wordsOf(raw).map((word) => [word.text, word]))
    const words = [...distinct.values()].filter(({ text }) => !seen.has(text)).slice(0, room)
    if (words.length === 0) continue
    for (const word of words) seen.add(word.text)
    room -= words.length
    tokens.push({ raw, words })
  }
  return tokens
}

function wordsOf(raw: string): SearchWord[] {
  return normalise(raw)
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const joined = part.replace(/[-._]+/g, '')
      const isWord = /^[\p{L}\p{N}]+$/u.test(joined) && !part.includes('_')
      if (isWord) return [plainWord(foldScripts(joined))]
      const plain = part.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
      // The index finds the words; the signs are then looked for in the names found.
      return [...plain.map((word) => plainWord(foldScripts(word))), { text: part, literal: true }]
    })
}
