import { type Static, Type } from '@sinclair/typebox'
import { described, FreeText, Id, Money, NamedObject, Nullable, ref, Text } from './common.ts'
import { Link } from './products.ts'

export const SuggestQuery = Type.Object({
  q: FreeText(100, 'The text typed so far', 'перф'),
  limit: Type.Integer({
    minimum: 1,
    maximum: 20,
    default: 5,
    description: 'Maximum number of each kind',
    examples: [5],
  }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

export const SuggestedProduct = NamedObject('SuggestedProduct', 'A product whose name matches', {
  id: described(Id, 'Id of the product'),
  name: Text('Name', 'Перфоратор Тармекс ПЕ-1400'),
  slug: Text('Slug', 'perforator-tarmeks-pe-1400'),
  price: Nullable(described(Money, 'What the customer pays, or null if there is none', 5990)),
  imageUrl: Nullable(Text('Path of the main image, or null if there is none', '/api/v1/images/31')),
})

export type SuggestedProduct = Static<typeof SuggestedProduct>

/** Contract section 4, "search". */
export const Suggestions = NamedObject('Suggestions', 'Completions of a search', {
  words: Type.Array(Type.String(), {
    description: 'Searches that continue the text, the most frequent words first',
    examples: [['перфоратор', 'перфораторы']],
  }),
  categories: Type.Array(ref(Link), { description: 'Visible categories whose names match' }),
  brands: Type.Array(ref(Link), { description: 'Brands whose names match' }),
  products: Type.Array(ref(SuggestedProduct), {
    description: 'Products whose names match, the best sold first',
  }),
})
export type Suggestions = Static<typeof Suggestions>
