import {
  isCyrillic,
  isOfEitherScript,
  lookOf,
  normalise,
  type SearchWord,
  soundOf,
  wordsOfNormalised,
} from '../../rules/catalogue/search.ts'
import { createArticles, createWordIndex, findSimilarWords, isShort, type SimilarWord } from './word-index.ts'

/** `stem`: shared by the grammatical forms of the word; '' for none. */
export type StemmedWord = SearchWord & { stem: string }

const UNKNOWN = -1

export type ProductWords = ReturnType<typeof createProductWords>

/** The words of products' names with their postings (contract section 4, "search"). Products are identified by row. */
export function createProductWords() {
  const numbers = new Map<string, number>()
  const words: string[] = []
  const stems: string[] = []
  const byStem = new Map<string, number[]>()
  /** Cyrillic words whose letters all look like Latin ones, by their Latin look-alikes. */
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
   * The rows that a searched word matches, by level: lists that may overlap. Level 0: the word itself; 1: its other forms,
   * and look-alikes in the other script where readers can't tell; 2: words and article numbers that contain it or, below
   * three letters, words that begin with it.
   */
  function lookUp({ text, stem }: StemmedWord) {
    const whole = numbers.get(text)
    const isSame = (number: number) => isOfEitherScript(text) || isOfEitherScript(words[number] ?? '')
    const rowsOf = (found: number[]) => found.map((number) => postings[number] ?? [])
    const byLevel = [
      rowsOf(whole === undefined ? [] : [whole]),
      rowsOf([...(byStem.get(stem) ?? []), ...lookingLike(text).filter(isSame)]),
      [...rowsOf(isShort(text) ? vocabulary.beginning(text) : vocabulary.having(text)), articles.rowsWith(text)],
    ]
    const size = byLevel.flat().reduce((sum, { length }) => sum + length, 0)
    return { byLevel, size }
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

  /** Counts another word for the rows that have it, and matched the `index` words before it. */
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

  /** Sets the rows that matched `count` words to 1, the others to 0. @returns whether any did */
  function keepComplete(included: Uint8Array, count: number, isMatch = (_row: number) => true): boolean {
    let isAny = false
    for (let row = 0; row < names.length; row++) {
      const isComplete = included[row] === count && isMatch(row)
      included[row] = isComplete ? 1 : 0
      isAny ||= isComplete
    }
    return isAny
  }

  return {
    /**
     * Indexes a name in place of the row's former one.
     * @param article the supplier's id, which is searched as an article number of the name; null: none
     * @param stemOf stem of each word of the name
     * @returns whether the name has changed
     */
    put(row: number, name: string, article: string | null, stemOf: (word: string) => string): boolean {
      articles.put(row, article)
      if (names[row] === name) return false
      removeName(row)
      const normalised = normalise(name)
      const inOrder = wordsOfNormalised(normalised)
      const distinct = [...new Set(inOrder)].map((word) => numberOf(word, stemOf(word)))
      for (const number of distinct) postings[number]?.push(row)
      numbersOf[row] = distinct
      names[row] = name
      // Most names are normalised already, and share one string then.
      normalisedNames[row] = normalised === name ? name : normalised
      lengths[row] = inOrder.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove(row: number): void {
      removeName(row)
      articles.remove(row)
    },
    rowOfArticle: articles.rowOf,
    /**
     * Sets `included` to 1 at the rows that have all the words, and `levels` to how well they match: 0, the best, for words
     * of the name; more for their other forms; most for parts of words.
     * @param included filled with 0
     * @returns whether there are any
     */
    match(searched: readonly StemmedWord[], included: Uint8Array, levels: Uint8Array): boolean {
      const plain = searched.filter(({ literal }) => !literal).map(lookUp)
      // The rarest first, which usually ends a search that finds nothing.
      plain.sort((a, b) => a.size - b.size)
      for (const [index, { byLevel }] of plain.entries()) {
        let matching = 0
        for (const [level, lists] of byLevel.entries()) {
          const onRow = (row: number) => {
            levels[row] = addLevel(levels[row] ?? 0, level)
            matching += 1
          }
          for (const rows of lists) advanceRows(included, index, rows, onRow)
        }
        if (matching === 0) {
          included.fill(0)
          return false
        }
      }
      const signs = searched.filter(({ literal }) => literal)
      return keepComplete(included, plain.length, (row) =>
        signs.every(({ text }) => normalisedNames[row]?.includes(text)),
      )
    },
    /** Sets the rows to 1 whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings(beginnings: readonly string[], included: Uint8Array): void {
      for (const [index, text] of beginnings.entries()) {
        for (const number of vocabulary.beginning(text)) {
          advanceRows(included, index, postings[number] ?? [])
        }
        advanceRows(included, index, articles.rowsBeginning(text))
      }
      keepComplete(included, beginnings.length)
    },
    /** The length of the row's name, counted in its words. */
    lengthOf: (row: number) => lengths[row] ?? 0,
    /** The distinct words of the row's name. */
    wordsOf: (row: number) => (numbersOf[row] ?? []).map((number) => words[number] ?? ''),
    /** The stem of a word that a name has or had. */
    stemOf(word: string): string | undefined {
      const number = numbers.get(word)
      return number === undefined ? undefined : stems[number]
    },
    /** Whether a name has the word, a word beginning with it, or another form of it. */
    isKnown(word: string, stem: string): boolean {
      const found = [...(byStem.get(stem) ?? []), ...vocabulary.beginning(word)]
      return found.some((number) => (postings[number] ?? []).length > 0)
    },
    /** Words that may have been meant: ones that look alike, misspelt ones, ones that only sound alike; the best of each first. */
    similarTo: (word: string): SimilarWord[] =>
      findSimilarWords({ words, postings, vocabulary, sounds }, word, lookingLike(word)),
    /** The rows whose names have exactly this word. */
    rowsWith: (word: string): readonly number[] => postings[numbers.get(word) ?? UNKNOWN] ?? [],
    /** The words that begin with the text, and the rows that have them. */
    beginningWith: (text: string): { word: string; rows: readonly number[] }[] =>
      vocabulary.beginning(text).map((number) => ({ word: words[number] ?? '', rows: postings[number] ?? [] })),
  }
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

/** Adds a word's level to those of others: the worst level counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(Math.floor(total / WORST_FACTOR), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
