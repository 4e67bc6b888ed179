import {
  errorsAllowed,
  errorsWithin,
  isCyrillic,
  isOfEitherScript,
  lookOf,
  normalise,
  type SearchWord,
  soundAlike,
  soundOf,
  wordsOfName,
} from '../../rules/catalogue/search.ts'
import { createArticles } from './articles.ts'
import { createWordIndex, isShort } from './word-index.ts'

/** `stem`: shared by the grammatical forms of the word; '' for none. */
export type StemmedWord = SearchWord & { stem: string }

/** A word that may have been meant. */
export type SimilarWord = {
  word: string
  /** How many products have it. */
  products: number
  /** Typing errors; of a word that only sounds alike, those between the two sounds. */
  errors: number
  /** `look`: the same in letters of the other script. */
  by: 'typing' | 'sound' | 'look'
}

const UNKNOWN = -1
const MAX_MISSPELT = 30
const MAX_ALIKE = 10
const MAX_CACHED_LOOKUPS = 2000

/** The words of products' names with their postings (contract section 4, "search"). Products go by their rows. */
export type ProductWords = {
  /**
   * Indexes a name in place of the row's former one.
   * @param article the supplier's id, which is searched as an article number of the name; null: none
   * @param stemOf stem of each word of the name
   * @returns whether the name is another one
   */
  put(row: number, name: string, article: string | null, stemOf: (word: string) => string): boolean
  remove(row: number): void
  /** The row whose product has this supplier's id, however it is punctuated. */
  rowOfArticle(text: string): number | undefined
  /**
   * Sets the rows that have all the words to 1 in `included`, and how well they match in `levels`: 0 best, as words of
   * the name; then in other forms; then inside of words.
   * @param included filled with 0
   */
  match(words: readonly StemmedWord[], included: Uint8Array, levels: Uint8Array): void
  /** Sets the rows to 1 whose names have, for each of the beginnings, a word that begins with it. */
  matchBeginnings(beginnings: readonly string[], included: Uint8Array): void
  /** The length of the row's name, counted in its words. */
  lengthOf(row: number): number
  /** The distinct words of the row's name. */
  wordsOf(row: number): string[]
  /** The stem of a word that a name has or had. */
  stemOf(word: string): string | undefined
  /** Whether a name has the word, a word beginning with it, or another form of it. */
  isKnown(word: string, stem: string): boolean
  /** Words that may have been meant: ones that look alike, misspelt ones, ones that only sound alike; the best of each first. */
  similarTo(word: string): SimilarWord[]
  /** The rows whose names have exactly this word. */
  rowsWith(word: string): readonly number[]
  /** The words that begin with the text, and the rows that have them. */
  beginningWith(text: string): { word: string; rows: readonly number[] }[]
}

export function createProductWords(): ProductWords {
  const numbers = new Map<string, number>()
  const words: string[] = []
  const stems: string[] = []
  const byStem = new Map<string, number[]>()
  /** Words with Cyrillic letters that all look like Latin ones, by these. */
  const byLook = new Map<string, number[]>()
  /** The rows that have each word. */
  const postings: number[][] = []
  const vocabulary = createWordIndex()
  const sounds = createWordIndex()
  const numbersOf: number[][] = []
  const names: string[] = []
  const normalisedNames: string[] = []
  const lengths: number[] = []
  const articles = createArticles()
  /** Numbers of the words that a searched word matches, by level. */
  const lookups = new Map<string, number[][]>()

  function numberOf(word: string, stem: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    const number = words.push(word) - 1
    numbers.set(word, number)
    stems.push(stem)
    postings.push([])
    vocabulary.add(word)
    sounds.add(soundOf(word))
    const forms = byStem.get(stem)
    if (stem !== '' && forms) forms.push(number)
    else if (stem !== '') byStem.set(stem, [number])
    const look = isCyrillic(word) ? lookOf(word) : null
    if (look !== null) byLook.set(look, [...(byLook.get(look) ?? []), number])
    lookups.clear()
    return number
  }

  function removeName(row: number): void {
    for (const number of numbersOf[row] ?? []) {
      const rows = postings[number] ?? []
      rows[rows.indexOf(row)] = rows.at(-1) ?? row
      rows.pop()
    }
    numbersOf[row] = []
    names[row] = ''
    normalisedNames[row] = ''
  }

  /**
   * Level 0: the word itself; 1: its forms, and itself in the other script where readers can't tell; 2: words that contain
   * it or, below three letters, begin with it.
   */
  function lookUp({ text, stem }: StemmedWord): number[][] {
    const key = `${text} ${stem}`
    const known = lookups.get(key)
    if (known) return known
    const whole = numbers.get(text)
    const isSame = (number: number) => isOfEitherScript(text) || isOfEitherScript(words[number] ?? '')
    const found = [
      whole === undefined ? [] : [whole],
      [...(byStem.get(stem) ?? []), ...lookingLike(text).filter(isSame)],
      isShort(text) ? vocabulary.beginning(text) : vocabulary.having(text),
    ]
    if (lookups.size >= MAX_CACHED_LOOKUPS) lookups.clear()
    lookups.set(key, found)
    return found
  }

  /** Numbers of other words that look like this one. */
  function lookingLike(word: string): number[] {
    const look = lookOf(word)
    if (look === null) return []
    const latin = numbers.get(look)
    return [...(latin === undefined ? [] : [latin]), ...(byLook.get(look) ?? [])].filter(
      (number) => words[number] !== word,
    )
  }

  /** Moves rows that matched `index` words, and have one of these words, on to the next number. */
  function advance(
    included: Uint8Array,
    index: number,
    found: number[],
    onRow?: (row: number) => void,
  ): void {
    for (const number of found) advanceRows(included, index, postings[number] ?? [], onRow)
  }

  function advanceRows(
    included: Uint8Array,
    index: number,
    rows: readonly number[],
    onRow?: (row: number) => void,
  ): void {
    for (const row of rows) {
      if (included[row] !== index) continue
      included[row] = index + 1
      onRow?.(row)
    }
  }

  /** Leaves 1 at the rows that matched `count` words, 0 at the others. */
  function keepComplete(included: Uint8Array, count: number, isMatch = (_row: number) => true): void {
    for (let row = 0; row < names.length; row++) {
      included[row] = included[row] === count && isMatch(row) ? 1 : 0
    }
  }

  function rank(candidates: Iterable<number>, errorsOf: (number: number) => number, limit: number) {
    const similar: { number: number; errors: number; products: number }[] = []
    for (const number of new Set(candidates)) {
      const products = postings[number]?.length ?? 0
      const errors = products === 0 ? Number.POSITIVE_INFINITY : errorsOf(number)
      if (errors < Number.POSITIVE_INFINITY) similar.push({ number, errors, products })
    }
    return similar
      .sort((a, b) => a.errors - b.errors || b.products - a.products || a.number - b.number)
      .slice(0, limit)
      .map(({ number, errors, products }) => ({ word: words[number] ?? '', errors, products }))
  }

  /**
   * With one error either half of a word is intact; with two errors one of its thirds, unless one of them is a swap
   * on their border.
   */
  function misspelt(word: string) {
    const letters = [...word]
    const { length } = letters
    const allowed = errorsAllowed(word)
    if (allowed === 0) return []
    const part = allowed === 1 ? Math.floor((length - 1) / 2) : Math.floor(length / 3)
    const candidates = [
      ...vocabulary.beginning(letters.slice(0, part).join('')),
      ...vocabulary.ending(letters.slice(-part).join('')),
      ...(allowed === 1 ? [] : vocabulary.having(letters.slice(part, length - part).join(''))),
    ]
    return rank(candidates, (number) => errorsWithin(allowed, word, words[number] ?? ''), MAX_MISSPELT)
  }

  function soundingLike(word: string) {
    const sound = soundOf(word)
    if (sound.length < 3 || errorsAllowed(word) === 0) return []
    const part = Math.floor((sound.length - 1) / 2)
    const candidates = [...sounds.beginning(sound.slice(0, part)), ...sounds.ending(sound.slice(-part))]
    const errorsIn = (other: string) =>
      soundAlike(sound, other) ? Number(sound !== other) : Number.POSITIVE_INFINITY
    return rank(candidates, (number) => errorsIn(sounds.at(number)), MAX_ALIKE)
  }

  return {
    put(row, name, article, stemOf) {
      articles.put(row, article)
      if (names[row] === name) return false
      removeName(row)
      const inOrder = wordsOfName(name)
      const distinct = [...new Set(inOrder)].map((word) => numberOf(word, stemOf(word)))
      for (const number of distinct) postings[number]?.push(row)
      numbersOf[row] = distinct
      const normalised = normalise(name)
      names[row] = name
      // Most names are normalised already: one string in memory then.
      normalisedNames[row] = normalised === name ? name : normalised
      lengths[row] = inOrder.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove(row) {
      removeName(row)
      articles.remove(row)
    },
    rowOfArticle: articles.rowOf,
    match(searched, included, levels) {
      const plain = searched.filter(({ literal }) => !literal)
      const lookups = plain.map((word) => ({
        byLevel: lookUp(word),
        inArticles: articles.rowsWith(word.text),
      }))
      const isFound = ({ byLevel, inArticles }: (typeof lookups)[number]) =>
        [...byLevel, inArticles].some(({ length }) => length > 0)
      if (!lookups.every(isFound)) return
      for (const [index, { byLevel, inArticles }] of lookups.entries()) {
        const at = (level: number) => (row: number) => {
          levels[row] = addLevel(levels[row] ?? 0, level)
        }
        for (const [level, numbers] of byLevel.entries()) advance(included, index, numbers, at(level))
        advanceRows(included, index, inArticles, at(byLevel.length - 1))
      }
      const signs = searched.filter(({ literal }) => literal)
      keepComplete(included, plain.length, (row) =>
        signs.every(({ text }) => normalisedNames[row]?.includes(text)),
      )
    },
    matchBeginnings(beginnings, included) {
      for (const [index, text] of beginnings.entries()) {
        advance(included, index, vocabulary.beginning(text))
        advanceRows(included, index, articles.rowsBeginning(text))
      }
      keepComplete(included, beginnings.length)
    },
    lengthOf: (row) => lengths[row] ?? 0,
    wordsOf: (row) => (numbersOf[row] ?? []).map((number) => words[number] ?? ''),
    stemOf(word) {
      const number = numbers.get(word)
      return number === undefined ? undefined : stems[number]
    },
    isKnown(word, stem) {
      const found = [...(byStem.get(stem) ?? []), ...vocabulary.beginning(word)]
      return found.some((number) => (postings[number] ?? []).length > 0)
    },
    similarTo: (word) => [
      ...rank(lookingLike(word), () => 0, MAX_ALIKE).map((one) => ({ ...one, by: 'look' as const })),
      ...misspelt(word).map((one) => ({ ...one, by: 'typing' as const })),
      ...soundingLike(word).map((one) => ({ ...one, by: 'sound' as const })),
    ],
    rowsWith: (word) => postings[numbers.get(word) ?? UNKNOWN] ?? [],
    beginningWith: (text) =>
      vocabulary
        .beginning(text)
        .map((number) => ({ word: words[number] ?? '', rows: postings[number] ?? [] })),
  }
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

/** Adds a word's level: the worst of them counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(Math.floor(total / WORST_FACTOR), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
