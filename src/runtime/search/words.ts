import { LRUCache } from 'lru-cache'
import { normalise, soundOf } from '../../rules/catalogue/letters.ts'
import { articleOf, type SearchWord, wordsOfName } from '../../rules/catalogue/search.ts'
import type { Article, Product, Word } from './products.ts'
import { findSimilarWords, type SimilarWord } from './similar-words.ts'
import { createWordIndex } from './word-index.ts'

/** More than one search has. */
const MAX_SEARCHED_STEMS = 1000

/** Lists of products that match a word, and how well; the best first. They may overlap. */
type ProductsOfWord = { level: number; products: readonly Product[] }[]

/** The words of products' names (contract section 4, "search"). */
export function createProductWords() {
  const byText = new Map<string, Word>()
  const byStem = new Map<string, Word[]>()
  const articlesByText = new Map<string, Article>()
  const texts = createWordIndex<Word>(({ text }) => text)
  const sounds = createWordIndex<Word>(({ sound }) => sound)
  const articles = createWordIndex<Article>(({ text }) => text)
  /** Stems of words that were searched, but are in no name. */
  const searchedStems = new LRUCache<string, string>({ max: MAX_SEARCHED_STEMS })
  let lastStep = 0

  /** Most words have one product: a list created with it takes a tenth of the memory of one that grew. */
  function addWord(text: string, stem: string, product: Product): Word {
    const word = { text, stem, sound: soundOf(text), products: [product] }
    byText.set(text, word)
    texts.add(word)
    sounds.add(word)
    if (stem !== '') byStem.set(stem, [...(byStem.get(stem) ?? []), word])
    return word
  }

  function addArticle(text: string, product: Product): Article {
    const article = { text, products: [product] }
    articlesByText.set(text, article)
    articles.add(article)
    return article
  }

  /** Adds the product to an entry that exists. */
  function extend<Entry extends Word | Article>(entry: Entry | undefined, product: Product): Entry | undefined {
    entry?.products.push(product)
    return entry
  }

  /** @param id the supplier's */
  function setArticle(product: Product, id: string | null): void {
    const text = articleOf(id ?? '')
    if (text === (product.article?.text ?? '')) return
    if (product.article !== null) removeFrom(product.article.products, product)
    product.article = text === '' ? null : (extend(articlesByText.get(text), product) ?? addArticle(text, product))
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
  function lookUp(text: string): ProductsOfWord {
    const numbered = /\p{N}/u.test(text) ? articles.having(text) : articles.beginning(text)
    const byLevel = [[byText.get(text) ?? []].flat(), formsOf(text), [...texts.having(text), ...numbered]]
    return byLevel.flatMap((entries, level) => entries.map(({ products }) => ({ level, products })))
  }

  /** The products that are listed for every word; sets their levels. @param all used for no words */
  function matchAll(lookups: ProductsOfWord[], all: readonly Product[]): Product[] {
    // A product whose step is that of a word has all the words before it.
    const start = lastStep
    lastStep += lookups.length
    let found: Product[] | undefined
    for (const [index, lists] of lookups.entries()) {
      const step = start + index
      found = []
      for (const { level, products } of lists) {
        for (const product of products) {
          if (index === 0 ? product.step > step : product.step !== step) continue
          product.level = addLevel(index === 0 ? 0 : product.level, level)
          product.step = step + 1
          found.push(product)
        }
      }
      if (found.length === 0) break
    }
    if (found !== undefined) return found
    for (const product of all) product.level = 0
    return [...all]
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
      const inOrder = wordsOfName(name)
      product.words = [...new Set(inOrder)].map(
        (text) => extend(byText.get(text), product) ?? addWord(text, stemOf(text), product),
      )
      product.name = name
      product.plainName = null
      product.nameLength = inOrder.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove,
    /** The products with this id of the supplier's, however it is punctuated. */
    withArticle: (id: string): readonly Product[] => articlesByText.get(articleOf(id))?.products ?? [],
    /** The products that have all the words; sets their levels. @param all of the index */
    match(searched: readonly SearchWord[], all: readonly Product[]): Product[] {
      const signs = searched.filter(({ literal }) => literal)
      const plain = searched.filter(({ literal }) => !literal).map(({ text }) => lookUp(text))
      const sizeOf = (lists: ProductsOfWord) => lists.reduce((sum, { products }) => sum + products.length, 0)
      // The rarest first, which usually ends a search that finds nothing.
      plain.sort((a, b) => sizeOf(a) - sizeOf(b))
      const found = matchAll(plain, all)
      if (signs.length === 0) return found
      return found.filter((product) => {
        product.plainName ??= normalise(product.name)
        const { plainName } = product
        return signs.every(({ text }) => plainName.includes(text))
      })
    },
    /** The products whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings(beginnings: readonly string[]): Product[] {
      const lookups = beginnings.map((text) =>
        [...texts.beginning(text), ...articles.beginning(text)].map(({ products }) => ({ level: 0, products })),
      )
      return matchAll(lookups, [])
    },
    /** The stem of a word that a name has or had, or that was learnt of late. */
    stemOf,
    learnStems(found: ReadonlyMap<string, string>): void {
      for (const [word, stem] of found) searchedStems.set(word, stem)
    },
    /** Whether a name has the word, a word beginning with it, or another form of it. */
    isKnown: (text: string): boolean =>
      [...formsOf(text), ...texts.beginning(text)].some(({ products }) => products.length > 0),
    similarTo: (text: string): SimilarWord[] => findSimilarWords(texts, sounds, text),
    /** The products whose names have exactly this word. */
    withWord: (text: string): readonly Product[] => byText.get(text)?.products ?? [],
    beginningWith: (text: string): Word[] => texts.beginning(text),
  }
}

/** In any order. */
function removeFrom(products: Product[], product: Product): void {
  products[products.indexOf(product)] = products.at(-1) ?? product
  products.pop()
}

/** More than the levels of ten words add up to. */
const WORST_FACTOR = 32

/** Adds a word's level to those of others: the worst level counts first, then their sum. */
function addLevel(total: number, level: number): number {
  const worst = Math.max(Math.floor(total / WORST_FACTOR), level)
  return worst * WORST_FACTOR + (total % WORST_FACTOR) + level
}
