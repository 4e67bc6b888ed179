import { LRUCache } from 'lru-cache'
import { soundOf } from '../../rules/catalogue/letters.ts'
import { articleOf, type SearchWord, wordsOfName } from '../../rules/catalogue/search.ts'
import { fold, lookOf } from '../../rules/fold.ts'
import type { Article, Product, Word } from './products.ts'
import { findSimilarWords, type SimilarWord } from './similar-words.ts'
import { createWordIndex } from './word-index.ts'

/** Of a part of a word that is looked for in others. */
const MIN_PART_LENGTH = 3
/** More than one search has. */
const MAX_SEARCHED_STEMS = 1000

/** Lists of products that match a word, and how well; the best first. They may overlap. */
type Matches = { level: number; products: readonly Product[] }[]

/** The words of products' names (docs/search.md). */
export function createProductWords() {
  const byText = new Map<string, Word>()
  const byStem = new Map<string, Word[]>()
  const articlesByText = new Map<string, Article>()
  const texts = createWordIndex<Word>(({ text }) => text)
  const sounds = createWordIndex<Word>(({ sound }) => sound)
  const articles = createWordIndex<Article>(({ text }) => text)
  /** Stems of words that were searched, but are in no name. */
  const searchedStems = new LRUCache<string, string>({ max: MAX_SEARCHED_STEMS })
  let lastStamp = 0

  /** Most words have one product: a list created with it takes a tenth of the memory of one that grew. */
  function addToWord(text: string, product: Product, stemOf: (word: string) => string): Word {
    const known = byText.get(text)
    if (known !== undefined) {
      known.products.push(product)
      return known
    }
    const word = { text, stem: stemOf(text), sound: soundOf(text), products: [product] }
    byText.set(text, word)
    texts.add(word)
    sounds.add(word)
    if (word.stem !== '') byStem.set(word.stem, [...(byStem.get(word.stem) ?? []), word])
    return word
  }

  function addToArticle(text: string, product: Product): Article {
    const known = articlesByText.get(text)
    if (known !== undefined) {
      known.products.push(product)
      return known
    }
    const article = { text, products: [product] }
    articlesByText.set(text, article)
    articles.add(article)
    return article
  }

  /** @param id the supplier's */
  function setArticle(product: Product, id: string | null): void {
    const text = articleOf(id ?? '')
    if (text === (product.article?.text ?? '')) return
    if (product.article !== null) removeFrom(product.article.products, product)
    product.article = text === '' ? null : addToArticle(text, product)
  }

  function remove(product: Product): void {
    for (const { products } of product.words) removeFrom(products, product)
    setArticle(product, null)
  }

  const stemOf = (text: string): string | undefined => byText.get(text)?.stem ?? searchedStems.get(text)

  const formsOf = (text: string): Word[] => byStem.get(stemOf(text) ?? '') ?? []

  /**
   * The products that a searched word matches. Level 0: the word itself; 1: its other forms; 2: words and article numbers
   * that contain it. Of a word without a digit the latter have to begin with it: too many random ones contain given letters.
   */
  function lookUp({ text, parts }: SearchWord): Matches {
    const word = byText.get(text)
    const article = lookOf(text)
    const numbered = /[0-9]/.test(text) ? articles.having(article) : articles.beginning(article)
    const having = texts.having(text)
    const containing = text.includes('.') ? having.filter((other) => !splitsDecimal(other.text, text)) : having
    const byLevel = [word ? [word] : [], formsOf(text), [...containing, ...numbered]]
    const together = byLevel.flatMap((entries, level) => entries.map(({ products }) => ({ level, products })))
    if (parts.length === 0) return together
    const apart = Map.groupBy(matchAll(parts.map(lookUpPart), []), ({ level }) => worstLevel(level))
    const all = [...together, ...[...apart].map(([level, products]) => ({ level, products }))]
    return all.sort((a, b) => a.level - b.level)
  }

  /** Too many words begin with a part that is short or a number. */
  function lookUpPart(part: SearchWord): Matches {
    const isWhole = part.text.length < MIN_PART_LENGTH || /[0-9]/.test(part.text)
    return isWhole ? [{ level: 0, products: byText.get(part.text)?.products ?? [] }] : lookUp(part)
  }

  function beginning({ text, parts }: SearchWord): Matches {
    const found = [...texts.beginning(text), ...articles.beginning(lookOf(text))]
    const together = found.map(({ products }) => ({ level: 0, products }))
    if (parts.length === 0) return together
    return [...together, { level: 0, products: matchAll(parts.map(beginning), []) }]
  }

  /**
   * The products that match every word, each once; sets their levels. Instead of intersecting sets, which takes ten times as
   * long, each word stamps the products that it finds, and keeps only those with the stamp of the word before.
   * @param all used for no words
   */
  function matchAll(words: Matches[], all: readonly Product[]): Product[] {
    if (words.length === 0) {
      for (const product of all) product.level = 0
      return [...all]
    }
    let found: Product[] = []
    let stampBefore: number | null = null
    for (const lists of words) {
      const stamp = ++lastStamp
      found = []
      for (const { level, products } of lists) {
        for (const product of products) {
          if (stampBefore === null ? product.stamp === stamp : product.stamp !== stampBefore) continue
          product.level = addLevel(stampBefore === null ? 0 : product.level, level)
          product.stamp = stamp
          found.push(product)
        }
      }
      if (found.length === 0) break
      stampBefore = stamp
    }
    return found
  }

  const isUsed = ({ products }: Word) => products.length > 0

  /** Whether a name has the word or another form of it. */
  function isWord(text: string): boolean {
    const word = byText.get(text)
    return (word !== undefined && isUsed(word)) || formsOf(text).some(isUsed)
  }

  return {
    /**
     * Indexes a name in place of the product's former one.
     * @param id the supplier's, which is searched as an article number of the name; null: none
     * @param stemOf stem of each word of the name
     * @returns whether the name has changed
     */
    put(product: Product, name: string, id: string | null, stemOf: (word: string) => string): boolean {
      setArticle(product, id)
      if (product.name === name) return false
      for (const { products } of product.words) removeFrom(products, product)
      product.words = wordsOfName(name).map((text) => addToWord(text, product, stemOf))
      product.name = name
      product.nameLength = name.length
      product.plainName = null
      return true
    },
    remove,
    /** The products with this id of the supplier's, however it is punctuated. */
    withArticle: (id: string): readonly Product[] => articlesByText.get(articleOf(id))?.products ?? [],
    /** The products that have all the words; sets their levels. @param all of the index */
    match(searched: readonly SearchWord[], all: readonly Product[]): Product[] {
      const literals = searched.filter(({ literal }) => literal)
      const words = searched.filter(({ literal }) => !literal).map(lookUp)
      const sizeOf = (lists: Matches) => lists.reduce((sum, { products }) => sum + products.length, 0)
      // The rarest first, which usually ends a search that finds nothing.
      words.sort((a, b) => sizeOf(a) - sizeOf(b))
      const found = matchAll(words, all)
      if (literals.length === 0) return found
      return found.filter((product) => {
        product.plainName ??= fold(product.name)
        const { plainName } = product
        return literals.every(({ text }) => plainName.includes(text))
      })
    },
    /** The products whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings: (beginnings: readonly SearchWord[]): Product[] => matchAll(beginnings.map(beginning), []),
    /** The stem of a word that a name has or had, or that was learnt of late. */
    stemOf,
    learnStems(found: ReadonlyMap<string, string>): void {
      for (const [word, stem] of found) searchedStems.set(word, stem)
    },
    isWord,
    /** Whether a name has the word, a word beginning with it, or another form of it. */
    isKnown: (text: string): boolean => isWord(text) || texts.beginning(text).some(isUsed),
    similarTo: (text: string): SimilarWord[] => findSimilarWords(texts, sounds, text),
    /** The products whose names have exactly this word. */
    withWord: (text: string): readonly Product[] => byText.get(text)?.products ?? [],
    beginningWith: (text: string): Word[] => texts.beginning(text),
  }
}

/** Whether a decimal is found only as a part of another number: 0.5 in 10.5. */
function splitsDecimal(word: string, text: string): boolean {
  const at = word.indexOf(text)
  const isDigit = (sign = '') => /[0-9.]/.test(sign)
  const [first = '', last = ''] = [text[0], text.at(-1)]
  return (isDigit(first) && isDigit(word[at - 1])) || (isDigit(last) && isDigit(word[at + text.length]))
}

/** In any order. */
function removeFrom(products: Product[], product: Product): void {
  products[products.indexOf(product)] = products.at(-1) ?? product
  products.pop()
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

function worstLevel(total: number): number {
  return Math.floor(total / WORST_FACTOR)
}

/** Adds a word's level to those of others: the worst level counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(worstLevel(total), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
