import type { Generated, GeneratedAlways } from 'kysely'

/**
 * What names are searched by, a row for each product; filled by triggers of `products`. Apart from it, so that a change
 * of anything but the name enters none of the search's indexes.
 */
export type ProductSearchTable = {
  product_id: number
  /** The words of the name, a space on both sides of each. */
  search_text: string
  /** Their stems. */
  search_stems: GeneratedAlways<string>
}

/** Every word of three letters or more that a product's name has or had; filled by triggers of `products`. */
export type SearchVocabularyTable = {
  word: string
  /** How it sounds, whatever script it is written in. */
  key: GeneratedAlways<string>
  /** Active products that have it; counted now and then. */
  products: Generated<number>
}

/** How many pieces of a product were ordered during the last 90 days; counted now and then. */
export type ProductSalesTable = {
  product_id: number
  quantity: number
}
