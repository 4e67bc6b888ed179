import { beginningOf } from '../text.ts'

/** Further words are ignored (contract section 4, "search"). */
const MAX_WORDS = 10
/** So is the rest of a longer search, such as a pasted name. */
const MAX_LENGTH = 100

/** `literal`: contains signs that count, and is compared with the whole name. */
export type SearchWord = { text: string; literal: boolean }

/** A part of a search between spaces, and its words. */
export type SearchToken = { raw: string; words: SearchWord[] }

export function wordsOfTokens(tokens: SearchToken[]): SearchWord[] {
  return tokens.flatMap(({ words }) => words)
}

/** Signs that only separate words; any other sign counts, and so do + and # at the end of a word (`c++`, `c#`). */
const SEPARATORS = /(?:[\s,;:"'’«»“”„()[\]{}/|!?*…–—]|(?<![\p{L}\p{N}][+#]*)[+#]|[+#]+(?=[\p{L}\p{N}]))+/u

/** Maps each letter to the text at the same place. */
function lettersTo(letters: string, texts: Iterable<string>): Map<string, string> {
  const all = [...texts]
  return new Map([...letters].map((letter, at) => [letter, all[at] ?? '']))
}

function replaceLetters(text: string, by: ReadonlyMap<string, string>): string {
  return [...text].map((letter) => by.get(letter) ?? letter).join('')
}

/** Letters without a decomposition. */
const FOLDED = lettersTo('æœßþøłđðıħŧŋ', 'ae oe ss th o l d d i h t n'.split(' '))

/** Lower case, with ё as е, and without accents except that of й. */
export function normalise(text: string): string {
  // Most names have nothing to decompose.
  if (/^[ -~а-яА-Я]*$/.test(text)) return text.toLowerCase()
  const decomposed = text
    .replace(/[№™℠®©]/g, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f]/g, '')
  return replaceLetters(decomposed, FOLDED).normalize('NFC')
}

/** Cyrillic letters that look like Latin ones, some of them only when written by hand. */
const LATIN_LOOKS = lettersTo('авгеіјкмнорстухѕһ', 'abreijkmhopctyxsh')

/** The word in the Latin letters that its Cyrillic ones look like: `xerox` for «хегох»; null if one has no look-alike. */
export function lookOf(word: string): string | null {
  const look = replaceLetters(word, LATIN_LOOKS)
  return CYRILLIC.test(look) ? null : look
}

const CYRILLIC = /\p{Script=Cyrillic}/u

/** Whether readers can't tell the script of a word: that of an article number, or of mixed letters. */
export function isOfEitherScript(word: string): boolean {
  return /\p{N}/u.test(word) || (CYRILLIC.test(word) && /\p{Script=Latin}/u.test(word))
}

export function isCyrillic(word: string): boolean {
  return CYRILLIC.test(word)
}

/** Longer names are cut, as `products.search_name` is. */
export const MAX_NAME_LENGTH = 650

/** The normalised words of a name with the parts of hyphenated ones, then those joined (`TK-510K`: tk, 510k, tk510k). */
export function wordsOfName(name: string): string[] {
  const tokens = normalise(name.slice(0, MAX_NAME_LENGTH)).split(/[^\p{L}\p{N}._'’-]+/u)
  const parts = tokens.map((token) => token.split(/[._'’-]+/).filter((part) => part !== ''))
  return [...parts.flat(), ...parts.filter(({ length }) => length > 1).map((each) => each.join(''))]
}

/** The words of a name, each with the name's spelling of it. */
export function spellingsOf(name: string): [word: string, spelling: string][] {
  const tokens = name.slice(0, MAX_NAME_LENGTH).split(/[^\p{L}\p{M}\p{N}._'’-]+/u)
  return tokens.flatMap((token) => {
    const parts = token.split(/[._'’-]+/).filter((part) => part !== '')
    const all = parts.map((part): [string, string] => [normalise(part), part])
    return parts.length > 1 ? [...all, [all.map(([word]) => word).join(''), token]] : all
  })
}

/** An article number without its punctuation, as it is searched for. */
export function articleOf(text: string): string {
  return normalise(text).replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Transliterates Cyrillic letters. */
const LATIN = lettersTo(
  'абвгдежзийклмнопрстуфхцчшщыэюяъь',
  'a b v g d e zh z i i k l m n o p r s t u f h c ch sh shch i e yu ya'.split(' '),
)

/** Latin spellings of sounds, the longer ones first, so that words sound the same in either script. */
const SOUNDS: [RegExp, string][] = [
  [/shch|sch|tsch/g, 's'],
  [/tch|ch|ck|kh|qu|cz/g, 'k'],
  [/sh|zh/g, 's'],
  [/ph/g, 'f'],
  [/th/g, 't'],
  [/gh/g, 'g'],
  [/ts|tz/g, 's'],
  [/x/g, 'ks'],
  [/c(?=[eiy])/g, 's'],
  [/[cq]/g, 'k'],
  [/w/g, 'v'],
  [/oo|ou/g, 'u'],
  [/ee|ea/g, 'i'],
  [/[jy](?=[aeou])|i(?=[aou])/g, ''],
  [/[jy]/g, 'i'],
  [/z/g, 's'],
  [/(.)\1+/g, '$1'],
]

/** The sound of a word in either script: that of «самсунг» equals that of `samsung`. */
export function soundOf(word: string): string {
  return SOUNDS.reduce((text, [spelling, sound]) => text.replace(spelling, sound), replaceLetters(word, LATIN))
}

/** Shorter sounds resemble that of some word too often. */
const MIN_LONG_SOUND = 5

/** Whether two sounds may be of the same word: equal but for one letter, which in short sounds has to be a vowel. */
export function soundAlike(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || typingErrors(a, b) > 1) return false
  const shorter = Math.min(a.length, b.length)
  return shorter >= MIN_LONG_SOUND || (shorter === MIN_LONG_SOUND - 1 && consonantsOf(a) === consonantsOf(b))
}

function consonantsOf(sound: string): string {
  return sound.replace(/[aeiou]/g, '').replace(/(.)\1+/g, '$1')
}

/** The parts of a search in their order, without repeated words; none when it is blank. */
export function readSearch(text: string): SearchToken[] {
  const tokens: SearchToken[] = []
  const seen = new Set<string>()
  let room = MAX_WORDS
  for (const raw of beginningOfSearch(text.trim()).split(/\s+/u)) {
    const distinct = new Map(wordsOf(raw).map((word) => [word.text, word]))
    const words = [...distinct.values()].filter(({ text }) => !seen.has(text)).slice(0, room)
    if (words.length === 0) continue
    for (const word of words) seen.add(word.text)
    room -= words.length
    tokens.push({ raw, words })
  }
  return tokens
}

/** Cut between two words, if possible: half of a word may be in other names. */
function beginningOfSearch(text: string): string {
  return text.length > MAX_LENGTH
    ? beginningOf(text, MAX_LENGTH + 1)
        .replace(/\s+\S*$/u, '')
        .slice(0, MAX_LENGTH)
    : text
}

function wordsOf(raw: string): SearchWord[] {
  return normalise(raw)
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .flatMap((part) => {
      const joined = part.replace(/[-._]+/g, '')
      const isWord = /^[\p{L}\p{N}]+$/u.test(joined) && !part.includes('_')
      if (isWord) return [{ text: joined, literal: false }]
      const plain = part.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
      // The index finds the words; the signs are then looked for in the names found.
      return [...plain.map((word) => ({ text: word, literal: false })), { text: part, literal: true }]
    })
}

const LATIN_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
const RUSSIAN_KEYS = 'ёйцукенгшщзхъфывапролджэячсмитьбю'
const OTHER_KEY = lettersTo(LATIN_KEYS + RUSSIAN_KEYS, RUSSIAN_KEYS + LATIN_KEYS)
/** Signs typed with the shift key. */
const UNSHIFTED = lettersTo('{}:"<>~', "[];',.`")

/** The text as typed in the other keyboard layout: `rfhnhbl;` is «картридж». */
export function otherLayout(text: string): string {
  return replaceLetters(replaceLetters(text.toLowerCase(), UNSHIFTED), OTHER_KEY)
}

/** The number of typing errors to correct in a word of this length (contract section 4, "search"). */
export function errorsAllowed(word: string): 0 | 1 | 2 {
  const { length } = [...word]
  if (length < 3 || !/\p{L}/u.test(word)) return 0
  return length < 8 || /\p{N}/u.test(word) ? 1 : 2
}

/** The number of typing errors; infinite above `max`. */
export function errorsWithin(max: number, searched: string, word: string): number {
  if (Math.abs(searched.length - word.length) > max) return Number.POSITIVE_INFINITY
  const errors = typingErrors(searched, word)
  return errors > max ? Number.POSITIVE_INFINITY : errors
}

/** Counts dropped, added, replaced and swapped neighbouring letters (optimal string alignment distance). */
export function typingErrors(a: string, b: string): number {
  // A common beginning or end has no errors.
  let [begin, endA, endB] = [0, a.length, b.length]
  while (begin < endA && begin < endB && a.charCodeAt(begin) === b.charCodeAt(begin)) begin++
  while (endA > begin && endB > begin && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  const [height, width] = [endA - begin, endB - begin]
  if (height === 0 || width === 0) return Math.max(height, width)
  let beforeLast: number[] = []
  let last = Array.from({ length: width + 1 }, (_, j) => j)
  for (let i = 1; i <= height; i++) {
    const row = [i]
    const letter = a.charCodeAt(begin + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(begin + j - 1)
      let least = (last[j - 1] ?? 0) + (letter === other ? 0 : 1)
      least = Math.min(least, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const swapped = i > 1 && j > 1 && letter === b.charCodeAt(begin + j - 2) && other === a.charCodeAt(begin + i - 2)
      row.push(swapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least)
    }
    beforeLast = last
    last = row
  }
  return last[width] ?? 0
}

/** What a token may have been meant to be. `known`: how many products have its rarest word. */
export type Candidate = { words: SearchWord[]; cost: number; known: number }

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
