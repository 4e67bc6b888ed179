import { LRUCache } from 'lru-cache'
import { isCyrillic, isOfEitherScript, lookOf, normalise, soundOf } from '../../rules/catalogue/letters.ts'
import { type SearchWord, wordsOfName } from '../../rules/catalogue/search.ts'
import { createArticles } from './articles.ts'
import { findSimilarWords, type SimilarWord } from './similar-words.ts'
import { append, createWordIndex, isShort } from './word-index.ts'

const UNKNOWN = -1
/** More than one search has. */
const MAX_SEARCHED_STEMS = 1000

/** Lists of rows, each with how well it matches a word. */
type RowsOfWord = { level: number; rows: readonly number[] }[]

export type ProductWords = ReturnType<typeof createProductWords>

/** The words of products' names with their postings (contract section 4, "search"). Products are identified by row. */
export function createProductWords() {
  const words = createWordIndex()
  const numbers = new Map<string, number>()
  /** The sound of each word. */
  const sounds = createWordIndex()
  /** A stem is shared by the grammatical forms of a word; '' for none. */
  const stems: string[] = []
  /** Stems of words that were searched, but are in no name. */
  const searchedStems = new LRUCache<string, string>({ max: MAX_SEARCHED_STEMS })
  const byStem = new Map<string, number[]>()
  /** Cyrillic words whose letters all look like Latin ones, by their Latin look-alikes. */
  const byLook = new Map<string, number[]>()
  /** The rows that have each word. */
  const postings: number[][] = []
  /** The words of each row's name. */
  const numbersOf: number[][] = []
  const names: string[] = []
  const lengths: number[] = []
  const articles = createArticles()

  function numberOf(word: string, stem: string): number {
    const known = numbers.get(word)
    if (known !== undefined) return known
    const number = words.add(word)
    numbers.set(word, number)
    sounds.add(soundOf(word))
    stems.push(stem)
    postings.push([])
    if (stem !== '') append(byStem, stem, number)
    const look = isCyrillic(word) ? lookOf(word) : null
    if (look !== null) append(byLook, look, number)
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
  }

  function stemOf(word: string): string | undefined {
    const number = numbers.get(word)
    return number === undefined ? searchedStems.get(word) : stems[number]
  }

  const formsOf = (word: string): number[] => byStem.get(stemOf(word) ?? '') ?? []

  const rowsOf = (found: number[]) => found.map((number) => postings[number] ?? [])

  /**
   * The rows that a searched word matches: lists that may overlap, each with how well it matches. Level 0: the word itself;
   * 1: its other forms, and look-alikes in the other script where readers can't tell; 2: words and article numbers that
   * contain it or, below three letters, words that begin with it.
   */
  function lookUp(text: string): RowsOfWord {
    const whole = numbers.get(text)
    const isSame = (number: number) => isOfEitherScript(text) || isOfEitherScript(words.at(number))
    const byLevel = [
      rowsOf(whole === undefined ? [] : [whole]),
      rowsOf([...formsOf(text), ...lookingLike(text).filter(isSame)]),
      [...rowsOf(isShort(text) ? words.beginning(text) : words.having(text)), articles.rowsWith(text)],
    ]
    return byLevel.flatMap((lists, level) => lists.map((rows) => ({ level, rows })))
  }

  /** Numbers of other words that look like this one. */
  function lookingLike(word: string): number[] {
    const look = lookOf(word)
    if (look === null) return []
    const alike = [numbers.get(look) ?? [], byLook.get(look) ?? []].flat()
    return alike.filter((number) => words.at(number) !== word)
  }

  /**
   * Sets `included` to 1 at the rows that are listed for every word, and `levels` to how well they match: 0 best.
   * @param included filled with 0
   * @returns whether there are any
   */
  function matchAll(
    lookups: RowsOfWord[],
    included: Uint8Array,
    levels: Uint8Array,
    isMatch = (_row: number) => true,
  ): boolean {
    // Until the end, a row has the number of words that it matched.
    for (const [index, lists] of lookups.entries()) {
      let isAny = false
      for (const { level, rows } of lists) {
        for (const row of rows) {
          if (included[row] !== index) continue
          included[row] = index + 1
          levels[row] = addLevel(levels[row] ?? 0, level)
          isAny = true
        }
      }
      if (!isAny) break
    }

    let isAny = false
    for (let row = 0; row < names.length; row++) {
      const isComplete = included[row] === lookups.length && isMatch(row)
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
      const inOrder = wordsOfName(name)
      const distinct = [...new Set(inOrder)].map((word) => numberOf(word, stemOf(word)))
      for (const number of distinct) postings[number]?.push(row)
      numbersOf[row] = distinct
      names[row] = name
      lengths[row] = inOrder.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove(row: number): void {
      removeName(row)
      articles.put(row, null)
    },
    rowsOfArticle: articles.rowsOf,
    /** Finds the rows that have all the words, as `matchAll` does. */
    match(searched: readonly SearchWord[], included: Uint8Array, levels: Uint8Array): boolean {
      const signs = searched.filter(({ literal }) => literal)
      const plain = searched.filter(({ literal }) => !literal).map(({ text }) => lookUp(text))
      const sizeOf = (lists: RowsOfWord) => lists.reduce((sum, { rows }) => sum + rows.length, 0)
      // The rarest first, which usually ends a search that finds nothing.
      plain.sort((a, b) => sizeOf(a) - sizeOf(b))
      return matchAll(plain, included, levels, (row) => hasSigns(names[row] ?? '', signs))
    },
    /** Sets the rows to 1 whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings(beginnings: readonly string[], included: Uint8Array): void {
      const lookups = beginnings.map((text) =>
        [...rowsOf(words.beginning(text)), articles.rowsBeginning(text)].map((rows) => ({ level: 0, rows })),
      )
      matchAll(lookups, included, new Uint8Array(included.length))
    },
    /** The length of the row's name, counted in its words. */
    lengthOf: (row: number) => lengths[row] ?? 0,
    nameOf: (row: number) => names[row] ?? '',
    /** The stem of a word that a name has or had, or that was learnt of late. */
    stemOf,
    learnStems(found: ReadonlyMap<string, string>): void {
      for (const [word, stem] of found) searchedStems.set(word, stem)
    },
    /** Whether a name has the word, a word beginning with it, or another form of it. */
    isKnown: (word: string): boolean =>
      rowsOf([...formsOf(word), ...words.beginning(word)]).some((rows) => rows.length > 0),
    similarTo: (word: string): SimilarWord[] => findSimilarWords({ words, sounds, postings }, word),
    /** The word in look-alike letters of the other script, as names may have it. */
    lookingLike: (word: string): string[] => [lookOf(word) ?? word, ...lookingLike(word).map(words.at)],
    /** The rows whose names have exactly this word. */
    rowsWith: (word: string): readonly number[] => postings[numbers.get(word) ?? UNKNOWN] ?? [],
    /** The words that begin with the text, and the rows that have them. */
    beginningWith: (text: string): { word: string; rows: readonly number[] }[] =>
      words.beginning(text).map((number) => ({ word: words.at(number), rows: postings[number] ?? [] })),
  }
}

function hasSigns(name: string, signs: SearchWord[]): boolean {
  if (signs.length === 0) return true
  const normalised = normalise(name)
  return signs.every(({ text }) => normalised.includes(text))
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

/** Adds a word's level to those of others: the worst level counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(Math.floor(total / WORST_FACTOR), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
