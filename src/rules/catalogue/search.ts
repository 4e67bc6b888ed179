/** What counts of a longer search (contract section 4, "search"). */
const MOST_WORDS = 10

/** `literal`: a sign among it is meant as it stands, so that it is compared with the name itself. */
export type SearchWord = { text: string; literal: boolean }

/** What stands between spaces in a search, and the words that it is made of. */
export type SearchToken = { raw: string; words: SearchWord[] }

/** Signs that stand between words and mean nothing; any other sign is meant. */
const SEPARATORS = /[\s,;:"'’«»“”„()[\]{}/+#№|!?*…–—]+/u

/** How a text is compared: as the database keeps names (`search_text_of`), lower case, ё as е, without accents. */
export function normalise(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u0305\u0307-\u036f]/g, '')
    .normalize('NFC')
}

/** The parts of a search that count, in their order; none when it is blank (contract section 4, "search"). */
export function readSearch(text: string): SearchToken[] {
  const tokens: SearchToken[] = []
  const seen = new Set<string>()
  let room = MOST_WORDS
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

/** How many letters were dropped, added, replaced or swapped with their neighbour (optimal string alignment). */
export function typingErrors(a: string, b: string): number {
  const [from, to] = [[...a], [...b]]
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of from.entries()) {
    const row = [i + 1]
    for (const [j, other] of to.entries()) {
      const swapped = i > 0 && j > 0 && letter === to[j - 1] && from[i - 1] === other
      row.push(
        Math.min(
          (last[j + 1] ?? 0) + 1,
          (row[j] ?? 0) + 1,
          (last[j] ?? 0) + (letter === other ? 0 : 1),
          swapped ? (beforeLast[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = row
  }
  return last[to.length] ?? 0
}

/** A word with each two neighbours swapped in turn: a swap is two errors to a database that counts without swaps. */
export function swaps(word: string): string[] {
  const letters = [...word]
  return letters
    .slice(1)
    .map((letter, index) =>
      [...letters.slice(0, index), letter, letters[index], ...letters.slice(index + 2)].join(''),
    )
    .filter((swapped) => swapped !== word)
}

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
