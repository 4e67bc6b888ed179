import { LRUCache } from 'lru-cache'
import { isCyrillic, isOfEitherScript, lookOf, normalise, soundOf } from '../../rules/catalogue/letters.ts'
import { type SearchWord, wordsOfName } from '../../rules/catalogue/search.ts'
import { createArticles } from './articles.ts'
import { findSimilarWords, type SimilarWord } from './similar-words.ts'
import { append, createWordIndex, isShort, type Word } from './word-index.ts'

/** More than one search has. */
const MAX_SEARCHED_STEMS = 1000

/** Lists of rows, each with how well it matches a word. */
type RowsOfWord = { level: number; rows: readonly number[] }[]

export type ProductWords = ReturnType<typeof createProductWords>

/** The words of products' names (contract section 4, "search"). Products are identified by row. */
export function createProductWords() {
  const byText = new Map<string, Word>()
  const byStem = new Map<string, Word[]>()
  /** Cyrillic words whose letters all look like Latin ones, by their Latin look-alikes. */
  const byLook = new Map<string, Word[]>()
  const texts = createWordIndex<Word>(({ text }) => text)
  const sounds = createWordIndex<Word>(({ sound }) => sound)
  /** Stems of words that were searched, but are in no name. */
  const searchedStems = new LRUCache<string, string>({ max: MAX_SEARCHED_STEMS })
  const articles = createArticles()
  const names: string[] = []
  /** As signs are compared with them; of names that a search with signs has met. */
  const normalised: (string | undefined)[] = []
  const lengths: number[] = []
  const wordsOf: Word[][] = []

  function addWord(row: number, text: string, stem: string): Word {
    const known = byText.get(text)
    if (known !== undefined) {
      known.rows.push(row)
      return known
    }
    const word = { text, stem, sound: soundOf(text), rows: [row] }
    byText.set(text, word)
    texts.add(word)
    sounds.add(word)
    if (stem !== '') append(byStem, stem, word)
    const look = isCyrillic(text) ? lookOf(text) : null
    if (look !== null) append(byLook, look, word)
    return word
  }

  function removeName(row: number): void {
    for (const { rows } of wordsOf[row] ?? []) {
      rows[rows.indexOf(row)] = rows.at(-1) ?? row
      rows.pop()
    }
    wordsOf[row] = []
    names[row] = ''
    normalised[row] = undefined
  }

  function hasSigns(row: number, signs: SearchWord[]): boolean {
    if (signs.length === 0) return true
    const name = normalised[row] ?? normalise(names[row] ?? '')
    normalised[row] = name
    return signs.every(({ text }) => name.includes(text))
  }

  const stemOf = (text: string): string | undefined => byText.get(text)?.stem ?? searchedStems.get(text)

  const formsOf = (text: string): Word[] => byStem.get(stemOf(text) ?? '') ?? []

  const rowsOf = (words: Word[]) => words.map(({ rows }) => rows)

  /**
   * The rows that a searched word matches: lists that may overlap, each with how well it matches. Level 0: the word itself;
   * 1: its other forms, and look-alikes in the other script where readers can't tell; 2: words and article numbers that
   * contain it or, below three letters, words that begin with it. An article number is also contained in Latin letters.
   */
  function lookUp(text: string): RowsOfWord {
    const isSame = (word: Word) => isOfEitherScript(text) || isOfEitherScript(word.text)
    const spellings = new Set([text, isOfEitherScript(text) ? (lookOf(text) ?? text) : text])
    const byLevel = [
      [byText.get(text)?.rows ?? []],
      rowsOf([...formsOf(text), ...lookingLike(text).filter(isSame)]),
      [...spellings].flatMap((spelling) => [
        ...rowsOf(isShort(spelling) ? texts.beginning(spelling) : texts.having(spelling)),
        articles.rowsWith(spelling),
      ]),
    ]
    return byLevel.flatMap((lists, level) => lists.map((rows) => ({ level, rows })))
  }

  /** Other words that look like this one. */
  function lookingLike(text: string): Word[] {
    const look = lookOf(text)
    if (look === null) return []
    const alike = [byText.get(look) ?? [], byLook.get(look) ?? []].flat()
    return alike.filter((word) => word.text !== text)
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
      wordsOf[row] = [...new Set(inOrder)].map((text) => addWord(row, text, stemOf(text)))
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
      return matchAll(plain, included, levels, (row) => hasSigns(row, signs))
    },
    /** Sets the rows to 1 whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings(beginnings: readonly string[], included: Uint8Array): void {
      const lookups = beginnings.map((text) =>
        [...rowsOf(texts.beginning(text)), articles.rowsBeginning(text)].map((rows) => ({ level: 0, rows })),
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
      rowsOf([...formsOf(word), ...texts.beginning(word)]).some((rows) => rows.length > 0),
    similarTo: (word: string): SimilarWord[] => findSimilarWords(texts, sounds, word),
    /** The word in look-alike letters of the other script, as names may have it. */
    lookingLike: (word: string): string[] => {
      const alike = lookingLike(word).map(({ text }) => text)
      return [lookOf(word) ?? word, ...alike.sort()]
    },
    /** The rows whose names have exactly this word. */
    rowsWith: (word: string): readonly number[] => byText.get(word)?.rows ?? [],
    beginningWith: (text: string): Pick<Word, 'text' | 'stem' | 'rows'>[] => texts.beginning(text),
  }
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

/** Adds a word's level to those of others: the worst level counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(Math.floor(total / WORST_FACTOR), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
