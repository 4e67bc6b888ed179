import { type Static, Type } from '@sinclair/typebox'
import { FreeText, Id, List, Money, NamedObject, Nullable, Text } from './common.ts'
import { Link } from './products.ts'

export const SuggestQuery = Type.Object({
  q: FreeText(100, 'The text typed so far', 'перф'),
  limit: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 5,
    description: 'Maximum number of each kind',
  }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

export const SuggestedProduct = NamedObject('SuggestedProduct', 'A product whose name matches', {
  id: Id('Id of the product'),
  name: Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  slug: Text('Slug', 'perforator-tarmeks-pe-1400'),
  price: Nullable(Money('What the customer pays, or null if there is none', 5990)),
  imageUrl: Nullable(Text('Path of the main image, or null if there is none', '/api/v1/images/31')),
})

export type SuggestedProduct = Static<typeof SuggestedProduct>

/** Contract section 4, "search". */
export const Suggestions = NamedObject('Suggestions', 'Completions of a search', {
  words: Type.Array(Type.String(), {
    description: 'Searches that continue the text, the most frequent words first',
    examples: [['перфоратор', 'перфораторы']],
  }),
  categories: List(Link, 'Visible categories whose names match'),
  brands: List(Link, 'Brands whose names match'),
  products: List(SuggestedProduct, 'Products whose names match, the best sold first'),
})
export type Suggestions = Static<typeof Suggestions>
