import type { Generated, GeneratedAlways } from 'kysely'

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
