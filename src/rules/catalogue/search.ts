/** What counts of a longer search (contract section 4, "search"). */
const MAX_WORDS = 10

/** `literal`: a sign among it is meant as it stands, so that it is compared with the name itself. */
export type SearchWord = { text: string; literal: boolean }

/** What stands between spaces in a search, and the words that it is made of. */
export type SearchToken = { raw: string; words: SearchWord[] }

/** Signs that stand between words and mean nothing; any other sign is meant. */
const SEPARATORS = /[\s,;:"'’«»“”„()[\]{}/+#№|!?*…–—]+/u

/** How a text is compared: lower case, ё as е, without accents. */
export function normalise(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u0305\u0307-\u036f]/g, '')
    .normalize('NFC')
}

/** What is compared of a name: more than anybody reads. */
const NAME_LENGTH = 650

/**
 * The words of a name, normalised, in their order: every word and every part of a hyphenated one, then what such a one
 * is without hyphens (`TK-510K`: tk, 510k, tk510k).
 */
export function wordsOfName(name: string): string[] {
  const tokens = normalise(name.slice(0, NAME_LENGTH)).split(/[^\p{L}\p{N}._'’-]+/u)
  const parts = tokens.map((token) => token.split(/[._'’-]+/).filter((part) => part !== ''))
  return [...parts.flat(), ...parts.filter(({ length }) => length > 1).map((each) => each.join(''))]
}

/** Cyrillic letters by how they are written in Latin ones; the other letters stay as they are. */
const LATIN = new Map(
  Object.entries({
    ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ж: 'zh', з: 'z', и: 'i', й: 'i', к: 'k', л: 'l' },
    ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'h', ц: 'c', ч: 'ch' },
    ...{ ш: 'sh', щ: 'shch', ъ: '', ы: 'i', ь: '', э: 'e', ю: 'yu', я: 'ya' },
  }),
)

/** Latin spellings of one sound, the longer ones first: what is written in either script comes out the same. */
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

/** How a word sounds, in whichever script it is written: «самсунг» and `samsung` are the same. */
export function soundOf(word: string): string {
  const latin = [...word].map((letter) => LATIN.get(letter) ?? letter).join('')
  return SOUNDS.reduce((text, [spelling, sound]) => text.replace(spelling, sound), latin)
}

/** Below that many letters nearly everything sounds nearly like some word. */
const LONG_SOUND = 5

/**
 * Whether words that sound so may be the same one: alike, or but for one letter, in which ways to write a word differ. Of
 * short ones that is a vowel, else nonsense would be found.
 */
export function soundAlike(a: string, b: string): boolean {
  if (a === b) return true
  if (Math.abs(a.length - b.length) > 1 || typingErrors(a, b) > 1) return false
  const shorter = Math.min(a.length, b.length)
  return shorter >= LONG_SOUND || (shorter === LONG_SOUND - 1 && consonantsOf(a) === consonantsOf(b))
}

function consonantsOf(sound: string): string {
  return sound.replace(/[aeiou]/g, '').replace(/(.)\1+/g, '$1')
}

/** The parts of a search that count, in their order; none when it is blank (contract section 4, "search"). */
export function readSearch(text: string): SearchToken[] {
  const tokens: SearchToken[] = []
  const seen = new Set<string>()
  let room = MAX_WORDS
  for (const raw of text.trim().split(/\s+/u)) {
    const words = wordsOf(raw)
      .filter(({ text }) => !seen.has(text))
      .slice(0, room)
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
      if (isWord) return [{ text: joined, literal: false }]
      const plain = part.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
      // The words are what an index finds; the signs between them are looked for in what it found.
      return [...plain.map((word) => ({ text: word, literal: false })), { text: part, literal: true }]
    })
}

const LATIN_KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
const RUSSIAN_KEYS = 'ёйцукенгшщзхъфывапролджэячсмитьбю'
const OTHER_KEY = new Map(
  [...LATIN_KEYS].flatMap((latin, index) => {
    const russian = RUSSIAN_KEYS[index] ?? ''
    return [
      [latin, russian],
      [russian, latin],
    ] as const
  }),
)
/** With the shift key. */
const UNSHIFTED = new Map([...'{}:"<>~'].map((sign, index) => [sign, "[];',.`"[index] ?? sign]))

/** What the same keys type in the other layout: `rfhnhbl;` is «картридж». */
export function otherLayout(text: string): string {
  return [...text.toLowerCase()]
    .map((sign) => UNSHIFTED.get(sign) ?? sign)
    .map((sign) => OTHER_KEY.get(sign) ?? sign)
    .join('')
}

/** How many typing errors a word of that length may have: none in the shortest (contract section 4, "search"). */
export function errorsAllowed(word: string): 0 | 1 | 2 {
  const { length } = [...word]
  if (length < 3 || !/\p{L}/u.test(word)) return 0
  return length < 8 || /\p{N}/u.test(word) ? 1 : 2
}

/** Words are seldom longer; room for the rows of typingErrors, made once. */
const ROOM = 128

/** How many letters were dropped, added, replaced or swapped with their neighbour (optimal string alignment). */
export function typingErrors(a: string, b: string): number {
  // What both begin and end with has no errors.
  let [begin, endA, endB] = [0, a.length, b.length]
  while (begin < endA && begin < endB && a.charCodeAt(begin) === b.charCodeAt(begin)) begin++
  while (endA > begin && endB > begin && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  const [height, width] = [endA - begin, endB - begin]
  if (height === 0 || width === 0) return Math.max(height, width)
  let [beforeLast, last, row] = width < ROOM ? rows : newRows(width + 1)
  for (let j = 0; j <= width; j++) last[j] = j
  for (let i = 1; i <= height; i++) {
    row[0] = i
    const letter = a.charCodeAt(begin + i - 1)
    for (let j = 1; j <= width; j++) {
      const other = b.charCodeAt(begin + j - 1)
      let least = (last[j - 1] ?? 0) + (letter === other ? 0 : 1)
      least = Math.min(least, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const swapped =
        i > 1 && j > 1 && letter === b.charCodeAt(begin + j - 2) && other === a.charCodeAt(begin + i - 2)
      row[j] = swapped ? Math.min(least, (beforeLast[j - 2] ?? 0) + 1) : least
    }
    ;[beforeLast, last, row] = [last, row, beforeLast]
  }
  return last[width] ?? 0
}

function newRows(length: number): [Uint16Array, Uint16Array, Uint16Array] {
  return [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)]
}
const rows = newRows(ROOM)

/** What a token may have meant: other words, and how much was changed for it. */
export type Reading = { words: SearchWord[]; cost: number; known: number }

/** Two readings, one behind the other. */
export function join(left: Reading, right: Reading): Reading {
  return {
    words: [...left.words, ...right.words],
    cost: left.cost + right.cost,
    known: Math.min(left.known, right.known),
  }
}

/**
 * Ways to read a whole search, the least change first; among equals that of the more frequent words.
 * @param tokens the readings of each token
 */
export function combineReadings(tokens: Reading[][], most: number): SearchWord[][] {
  let combined: Reading[] = [{ words: [], cost: 0, known: Number.POSITIVE_INFINITY }]
  for (const readings of tokens) {
    combined = combined
      .flatMap((left) => readings.map((right) => join(left, right)))
      .sort((a, b) => a.cost - b.cost || b.known - a.known)
      .slice(0, most)
  }
  return combined.filter(({ cost }) => cost > 0).map(({ words }) => words)
}
