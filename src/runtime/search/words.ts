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

  function addWord(text: string, stem: string): Word {
    const word = { text, stem, sound: soundOf(text), products: [] }
    byText.set(text, word)
    texts.add(word)
    sounds.add(word)
    if (stem !== '') byStem.set(stem, [...(byStem.get(stem) ?? []), word])
    return word
  }

  function addArticle(text: string): Article {
    const article = { text, products: [] }
    articlesByText.set(text, article)
    articles.add(article)
    return article
  }

  /** @param id the supplier's */
  function setArticle(product: Product, id: string | null): void {
    const text = articleOf(id ?? '')
    if (text === (product.article?.text ?? '')) return
    if (product.article !== null) removeFrom(product.article.products, product)
    product.article = text === '' ? null : (articlesByText.get(text) ?? addArticle(text))
    product.article?.products.push(product)
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

  /** The products that are listed for every word, and how well they match: 0 best. @param all used for no words */
  function matchAll(lookups: ProductsOfWord[], all: readonly Product[]): Map<Product, number> {
    let found: Map<Product, number> | undefined
    for (const lists of lookups) {
      const next = new Map<Product, number>()
      for (const { level, products } of lists) {
        for (const product of products) {
          if (next.has(product)) continue
          const before = found === undefined ? 0 : found.get(product)
          if (before !== undefined) next.set(product, addLevel(before, level))
        }
      }
      found = next
      if (found.size === 0) break
    }
    return found ?? new Map(all.map((product) => [product, 0]))
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
      product.words = [...new Set(inOrder)].map((text) => byText.get(text) ?? addWord(text, stemOf(text)))
      for (const { products } of product.words) products.push(product)
      product.name = name
      product.nameLength = inOrder.reduce((sum, { length }) => sum + length + 1, 0)
      return true
    },
    remove,
    /** The products with this id of the supplier's, however it is punctuated. */
    withArticle: (id: string): readonly Product[] => articlesByText.get(articleOf(id))?.products ?? [],
    /** The products that have all the words, and how well they match: 0 best. */
    match(searched: readonly SearchWord[], all: readonly Product[]): Map<Product, number> {
      const signs = searched.filter(({ literal }) => literal)
      const plain = searched.filter(({ literal }) => !literal).map(({ text }) => lookUp(text))
      const sizeOf = (lists: ProductsOfWord) => lists.reduce((sum, { products }) => sum + products.length, 0)
      // The rarest first, which usually ends a search that finds nothing.
      plain.sort((a, b) => sizeOf(a) - sizeOf(b))
      const found = matchAll(plain, all)
      if (signs.length === 0) return found
      return new Map(
        [...found].filter(([{ name }]) => {
          const text = normalise(name)
          return signs.every((sign) => text.includes(sign.text))
        }),
      )
    },
    /** The products whose names have, for each of the beginnings, a word that begins with it. */
    matchBeginnings(beginnings: readonly string[]): Iterable<Product> {
      const lookups = beginnings.map((text) =>
        [...texts.beginning(text), ...articles.beginning(text)].map(({ products }) => ({ level: 0, products })),
      )
      return matchAll(lookups, []).keys()
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
